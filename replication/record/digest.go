package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// Digest returns the hash of a change's content, field by field in the order written here, so that core can
// compute it from ids and stored hashes and an edge from the bodies it received. It never hashes encoded
// protobuf, whose bytes may differ between builds.
func Digest(kind Kind, body proto.Message) (Hash, error) {
	d := newDigest(kind)
	switch b := body.(type) {
	case *recordpb.Release:
		rd := NewReleaseDigest()
		for _, it := range b.Items {
			rd.Item(it)
		}
		return rd.Sum(b.Number, b.PublishedMs, b.ChangeSet), nil
	case *recordpb.Project:
		d.text(b.Id, b.Organization, b.Slug, b.Name)
		d.flag(b.PublicApiEnabled, b.Deleted)
		d.list(b.AllowedOrigins)
		d.list(b.Locales)
		d.text(b.DefaultLocale, string(b.CursorKey))
		d.number(b.FromRelease)
		if b.PinnedRelease != 0 { // absent, it leaves digests as they were before there were pins
			d.number(b.PinnedRelease)
		}
	case *recordpb.Schema:
		d.number(b.FromRelease)
		d.number(uint64(len(b.Collections)))
		for _, c := range b.Collections {
			d.text(c.Name, c.Hash, c.Label, string(c.Canonical))
			d.number(uint64(c.Version))
		}
		d.list(b.Removed)
	case *recordpb.Rank:
		d.text(b.Collection)
		d.number(uint64(len(b.Entries)))
		for _, e := range b.Entries {
			d.text(e.Entry, e.Rank)
		}
	case *recordpb.Organization:
		d.text(b.Id, b.Slug, b.Name)
		d.flag(b.Deleted)
	case *recordpb.Key:
		d.text(b.Id, b.PublicId, string(b.Hash), b.Project)
		d.list(b.Scopes)
		d.list(b.Collections)
		d.number(uint64(b.ExpiresMs))
		d.flag(b.Revoked)
	default:
		return Hash{}, fmt.Errorf("no digest for a %T of kind %q", body, kind)
	}
	return d.sum(), nil
}

// ReleaseDigest digests a release from its items one by one, in the order of the release's list.
type ReleaseDigest struct{ d digest }

// NewReleaseDigest starts a digest.
func NewReleaseDigest() *ReleaseDigest { return &ReleaseDigest{d: newDigest(KindRelease)} }

// Item adds an item; of its fields only their hash counts.
func (r *ReleaseDigest) Item(it *recordpb.Item) {
	r.d.number(uint64(it.Operation))
	r.d.text(it.Entry, it.Collection, it.Slug, it.Revision, string(it.FieldsHash))
	r.d.number(uint64(it.SchemaVersion))
}

// Sum ends the digest.
func (r *ReleaseDigest) Sum(number uint64, publishedMS int64, changeSet string) Hash {
	r.d.number(number)
	r.d.number(uint64(publishedMS))
	r.d.text(changeSet)
	return r.d.sum()
}

type digest struct{ h hash.Hash }

func newDigest(kind Kind) digest {
	d := digest{h: sha256.New()}
	d.text(string(kind))
	return d
}

func (d digest) number(n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	d.h.Write(b[:])
}

func (d digest) text(parts ...string) {
	for _, p := range parts {
		d.number(uint64(len(p)))
		d.h.Write([]byte(p))
	}
}

func (d digest) list(parts []string) {
	d.number(uint64(len(parts)))
	d.text(parts...)
}

func (d digest) flag(flags ...bool) {
	for _, f := range flags {
		if f {
			d.number(1)
		} else {
			d.number(0)
		}
	}
}

func (d digest) sum() (h Hash) {
	d.h.Sum(h[:0])
	return h
}

// rowOf is the state row of a message that stands for itself.
func rowOf(kind Kind, body proto.Message) StateSum {
	h, err := Digest(kind, body)
	if err != nil {
		panic(err) // the callers pass kinds that have a digest
	}
	s, _ := StateSumFrom(h[:16])
	return s
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
