package column

import (
	"bytes"
	"context"
	"slices"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// none is no document.
const none = ^uint32(0)

// Documents tells of the documents of a collection, by their numbers, whose they are. It is never changed.
type Documents struct {
	entries []layout.EntryID // by the number of an entry
	owners  []uint32         // number of the entry
	before  []uint32         // the document that its entry had before; none: it is the first
	latest  [][]uint32       // by the number of an entry, in chunks: its newest document
}

// chunk is how many entries the parts of Documents.latest have that are copied to be changed.
const chunk = 1024

// Count is how many documents there are.
func (d *Documents) Count() uint32 { return uint32(len(d.owners)) }

// Entry returns the number of a document's entry, and its id.
func (d *Documents) Entry(document uint32) (uint32, layout.EntryID) {
	n := d.owners[document]
	return n, d.entries[n]
}

// Of returns the newest document of an entry among the first so many; false where it has none of them.
func (d *Documents) Of(entry, documents uint32) (uint32, bool) {
	if int(entry) >= len(d.entries) {
		return 0, false
	}
	at := d.latest[entry/chunk][entry%chunk]
	for at != none && at >= documents {
		at = d.before[at]
	}
	return at, at != none
}

func (d *Documents) compare(a, b uint32) int {
	return bytes.Compare(d.entries[d.owners[a]][:], d.entries[d.owners[b]][:])
}

func (d *Documents) covers() uint32 { return d.Count() }

func (d *Documents) size() int64 { return int64(20*cap(d.entries) + 8*cap(d.owners)) }

// readAll reads what every entry had, in the order of their ids.
func readAll(ctx context.Context, r *snapshot.Reader, c, count uint32) (*Documents, error) {
	rows, err := r.Iterator(snapshot.Secondary)
	if err != nil {
		return nil, err
	}
	d := &Documents{owners: slices.Repeat([]uint32{none}, int(count)), before: make([]uint32, count)}
	start := r.Generation.Collection(nil, layout.TableEntry, c)
	rows.SeekGE(start)
	err = r.EachEntry(ctx, c, func(e layout.EntryID, n uint32) (bool, error) {
		d.grow(n)
		d.entries[n] = e
		latest := &d.latest[n/chunk][n%chunk]
		for ; rows.Valid() && bytes.HasPrefix(rows.Key(), start) && layout.EntryIn(rows.Key()[layout.CollectionLen:]) == e; rows.Next() {
			value, err := rows.ValueAndErr()
			if err != nil {
				return false, err
			}
			state, err := layout.ReadEntryState(value)
			if err != nil {
				return false, err
			}
			if !state.Live {
				continue
			}
			if state.Document >= count || d.owners[state.Document] != none {
				return false, layout.Damaged("entry: its documents are not counted")
			}
			d.owners[state.Document], d.before[state.Document] = n, none
			*latest, latest = state.Document, &d.before[state.Document]
		}
		return true, rows.Error()
	})
	if err == nil && slices.Contains(d.owners, none) {
		err = layout.Damaged("document number: no entry has it")
	}
	return d, err
}

// grow makes room for an entry.
func (d *Documents) grow(n uint32) {
	if int(n) < len(d.entries) {
		return
	}
	d.entries = append(d.entries, make([]layout.EntryID, int(n)+1-len(d.entries))...)
	for int(n/chunk) >= len(d.latest) {
		d.latest = append(d.latest, slices.Repeat([]uint32{none}, chunk))
	}
}

// extend reads the documents that came since.
func (d *Documents) extend(r *snapshot.Reader, c, count uint32) (*Documents, error) {
	next := *d
	next.latest = slices.Clone(d.latest)
	copied := map[uint32]bool{}
	for at := d.Count(); at < count; at++ {
		e, _, err := r.EntryOf(c, at)
		if err != nil {
			return nil, err
		}
		n, err := r.EntryNumber(c, e)
		if err != nil {
			return nil, err
		}
		if next.grow(n); int(n) >= len(d.entries) {
			next.entries[n] = e
		}
		if !copied[n/chunk] {
			next.latest[n/chunk], copied[n/chunk] = slices.Clone(next.latest[n/chunk]), true
		}
		latest := &next.latest[n/chunk][n%chunk]
		next.owners, next.before = append(next.owners, n), append(next.before, *latest)
		*latest = at
	}
	return &next, nil
}
