package store

import (
	"bytes"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"

	"svc/edge/store/layout"
	"svc/shared/value"
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

// valueOf reads the key of a field's value in one source. The value is there.
func (f *execution) valueOf(s *source, d *definition, fields []byte) ([]byte, error) {
	var found jsontext.Value
	err := value.EachMember(fields, func(name []byte, raw jsontext.Value) error {
		if string(name) != d.field {
			return nil
		}
		if len(s.locale) == 0 || raw[0] != '{' {
			found = raw
			return nil
		}
		return value.EachMember(raw, func(locale []byte, raw jsontext.Value) error {
			if string(locale) == string(s.locale) {
				found = raw
			}
			return nil
		})
	})
	key, ok := value.KeyOf(nil, sample(d.class), found)
	if err == nil && !ok {
		err = layout.Damaged("index: an entry does not have the value it is filed under")
	}
	return key, err
}
