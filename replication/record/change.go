// Package record is the form in which changes travel from core to edges: what a change is, how it is digested and
// chained, and how it is written to bytes and read back.
package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
)

// Kind names what a change is about. A project's log carries the first four, an organization's the rest.
type Kind string

const (
	KindProject      Kind = "project"
	KindSchema       Kind = "schema"
	KindRelease      Kind = "release"
	KindRank         Kind = "rank"
	KindOrganization Kind = "organization"
	KindKey          Kind = "key"
)

// Hash is a SHA-256: a digest of one change, or the chain over all of a log up to it.
type Hash [sha256.Size]byte

// String writes the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Position is a place in a log: everything up to Seq, proved by Chain. Epoch is the epoch of the log when the
// position was reached; it tells apart histories of a log that core lost a part of (package replication).
type Position struct {
	Epoch uint64
	Seq   uint64
	Chain Hash
}

// Change is one entry of a log, whole: Body is the recordpb message of its Kind.
type Change struct {
	Log      string // project or organization id
	Position Position
	Prev     Hash // chain before this change
	Kind     Kind
	Digest   Hash
	Time     time.Time // database clock
	Body     proto.Message
}

// Link returns the chain after a change: SHA-256 of the chain before it, its sequence (8 bytes, big endian), its
// kind and its digest. PostgreSQL computes the same where the change is made.
func Link(prev Hash, seq uint64, kind Kind, digest Hash) Hash {
	b := make([]byte, 0, 128)
	b = append(b, prev[:]...)
	b = binary.BigEndian.AppendUint64(b, seq)
	b = append(b, kind...)
	b = append(b, digest[:]...)
	return sha256.Sum256(b)
}

// Follows reports whether the change comes directly after a position. Equal chains are equal histories, whatever
// the epochs; but nothing of an older epoch is taken any more by who has seen a newer one.
func (c *Change) Follows(p Position) bool {
	return c.Position.Epoch >= p.Epoch && c.Position.Seq == p.Seq+1 && c.Prev == p.Chain
}

// Restates reports whether the change is the one that led to a position, sent again: the same place with the same
// chain. Where its epoch is higher, the holder of the position takes the epoch over and has nothing to apply.
func (c *Change) Restates(p Position) bool {
	return c.Position.Seq == p.Seq && c.Position.Chain == p.Chain
}

// String writes a position as epoch.seq.chain, the chain in hexadecimal; ParsePosition reads it.
func (p Position) String() string {
	return fmt.Sprintf("%d.%d.%s", p.Epoch, p.Seq, p.Chain)
}

// LogValue has logs show a position as String writes it.
func (p Position) LogValue() slog.Value { return slog.StringValue(p.String()) }

// ParsePosition reads what String wrote, and nothing else.
func ParsePosition(s string) (Position, error) {
	var p Position
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return p, fmt.Errorf("position %q is not epoch.seq.chain", shorten(s))
	}
	var err error
	if p.Epoch, err = strconv.ParseUint(parts[0], 10, 63); err != nil {
		return p, fmt.Errorf("epoch of position %q: %w", shorten(s), err)
	}
	if p.Seq, err = strconv.ParseUint(parts[1], 10, 63); err != nil {
		return p, fmt.Errorf("sequence of position %q: %w", shorten(s), err)
	}
	chain, err := hex.DecodeString(parts[2])
	if err != nil || len(chain) != len(p.Chain) {
		return p, fmt.Errorf("chain of position %q is not %d bytes in hexadecimal", shorten(s), len(p.Chain))
	}
	copy(p.Chain[:], chain)
	return p, nil
}
