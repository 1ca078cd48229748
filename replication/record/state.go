package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"

	"svc/replication/record/recordpb"
)

// StateSum proves that two stores hold the same: the wrapping sum of 128-bit hashes, one for each row of a log's
// state. A sum can be kept row by row as changes are applied, and recomputed by one scan in any order.
type StateSum struct {
	Hi, Lo uint64
}

// Add returns the sum with a row more.
func (s StateSum) Add(row StateSum) StateSum {
	lo, carry := bits.Add64(s.Lo, row.Lo, 0)
	hi, _ := bits.Add64(s.Hi, row.Hi, carry)
	return StateSum{Hi: hi, Lo: lo}
}

// Sub returns the sum with a row less.
func (s StateSum) Sub(row StateSum) StateSum {
	lo, borrow := bits.Sub64(s.Lo, row.Lo, 0)
	hi, _ := bits.Sub64(s.Hi, row.Hi, borrow)
	return StateSum{Hi: hi, Lo: lo}
}

// Bytes returns the sum as 16 bytes, big endian.
func (s StateSum) Bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.Hi), s.Lo)
}

// StateSumFrom is the inverse of Bytes; false where b is not 16 bytes.
func StateSumFrom(b []byte) (StateSum, bool) {
	if len(b) != 16 {
		return StateSum{}, false
	}
	return StateSum{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}, true
}

// String writes the sum in hexadecimal.
func (s StateSum) String() string { return hex.EncodeToString(s.Bytes()) }

// EntryRow is the row of an entry that is live at the head.
func EntryRow(collection, entry, revision, slug string) StateSum {
	return row("entry", collection, entry, revision, slug)
}

// RankRow is the row of an entry with an editorial position.
func RankRow(collection, entry, rank string) StateSum { return row("rank", collection, entry, rank) }

// SchemaRow is the row of a live collection.
func SchemaRow(name string, version uint32, hash, label string) StateSum {
	return row("schema", name, decimal(uint64(version)), hash, label)
}

// ReleaseRow is the row of a release.
func ReleaseRow(number uint64, publishedMS int64) StateSum {
	return row("release", decimal(number), decimal(uint64(publishedMS)))
}

// ProjectRow is the row of a project's live settings.
func ProjectRow(p *recordpb.Project) StateSum { return rowOf(KindProject, p) }

// OrganizationRow is the row of an organization.
func OrganizationRow(o *recordpb.Organization) StateSum { return rowOf(KindOrganization, o) }

// KeyRow is the row of a key, revoked ones included.
func KeyRow(k *recordpb.Key) StateSum { return rowOf(KindKey, k) }

func row(parts ...string) StateSum {
	h := sha256.New()
	var n [4]byte
	for _, p := range parts {
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	s, _ := StateSumFrom(h.Sum(nil)[:16])
	return s
}
