package store

import (
	"bytes"
	"encoding/binary"

	"svc/edge/store/layout"
)

// documentOf reads what a number of the space stands for: a document, or the present one of an entry.
func (f *execution) documentOf(n uint32) (e layout.EntryID, d layout.Document, err error) {
	e, release, err := f.entryOf(n)
	if err != nil {
		return e, d, err
	}
	d, live, err := f.r.document(f.c, e, release)
	if err == nil && !live {
		err = layout.Damaged("index: a number in it belongs to nothing")
	}
	return e, d, err
}

// entryOf returns the entry that a number stands for, and the release that published it or a later one.
func (f *execution) entryOf(n uint32) (e layout.EntryID, release uint64, err error) {
	it, err := f.r.iterator(counted)
	if err != nil {
		return e, 0, err
	}
	of, length := layout.TableEntryNumber, 16
	if f.past {
		of, length = layout.TableDocumentNumber, 24
	}
	f.r.key = f.meta.gen.CollectionNumber(f.r.key, of, f.c, n)
	if !f.r.follows(it) {
		it.SeekGE(f.r.key)
	}
	if !it.Valid() || !bytes.Equal(it.Key(), f.r.key) {
		if err := it.Error(); err != nil {
			return e, 0, err
		}
		return e, 0, layout.Damaged("index: a number in it belongs to nothing")
	}
	v, err := it.ValueAndErr()
	if err != nil {
		return e, 0, err
	}
	if len(v) != length {
		return e, 0, layout.Damaged("number")
	}
	if release = layout.MaxRelease; f.past {
		release = binary.BigEndian.Uint64(v[16:])
	}
	return layout.EntryID(v[:16]), release, nil
}
