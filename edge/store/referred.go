package store

import (
	"bytes"
	"context"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// newReferred keeps entries that others refer to, under the release that changed their collection last. Many refer to the same: to
// authors, to categories.
func newReferred(bytes int64) (*snapshot.Kept[*read.Row], error) {
	return snapshot.NewKept(bytes, func(row *read.Row) int64 { return int64(len(row.Fields)) + rowBytes })
}

// rowBytes is about what a row takes beside its fields.
const rowBytes = 256

// referring is what a view looks for referred entries with, those of one collection after another.
type referring struct {
	to      *collection
	pin     uint64
	release uint64 // that changed the collection last by then
	key     []byte // where they are kept, with the id of one
	prefix  int    // of the key, without an id
}

// Referred implements read.ReferenceReader.
func (v *view) Referred(ctx context.Context, key string, id content.EntryID, pin uint64) (read.Row, bool, error) {
	c := v.meta.places[key]
	if c == nil {
		return read.Row{}, false, nil
	}
	f := &v.refers
	if f.to != c || f.pin != pin {
		last, err := v.meta.changes.Last(v.r, c.number, min(at(pin), v.meta.head.Number))
		if err != nil {
			return read.Row{}, false, fault.Wrap(err, "find what changed a collection")
		}
		*f = referring{to: c, pin: pin, release: last.Release}
		f.key = v.meta.gen.CollectionRelease(nil, layout.TableDocument, c.number, last.Release)
		f.prefix = len(f.key)
	}
	f.key = append(f.key[:f.prefix], id...)
	if row, known := v.s.referred.Get(f.key); known {
		return *row, row.Entry != "", nil
	}
	e, ok := content.Bytes(id)
	if !ok {
		return read.Row{}, false, nil
	}
	row, found, err := v.r.Row(c.number, e, f.release)
	if err != nil {
		return read.Row{}, false, fault.Wrap(err, "read an entry that others refer to")
	}
	row.Fields = bytes.Clone(row.Fields)
	v.s.referred.Put(f.key, &row)
	return row, found, nil
}
