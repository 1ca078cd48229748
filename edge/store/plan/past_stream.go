package plan

import (
	"bytes"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// pastStream scans the postings of documents value by value. The documents of a value are brought into the order of their
// entries, and those whose values have the same beginning into the order of both.
type pastStream struct {
	fieldScan
	it      *pebble.Iterator
	started bool
	docs    topRows
	value   []byte         // of the rows in the group, or its beginning where that is long
	set     roaring.Bitmap // documents of a posting
	at      []byte
}

func (s *pastStream) next() (*orderRow, error) {
	for {
		if row := s.docs.take(); row != nil {
			return row, nil
		}
		if s.docs.cut {
			if err := s.again(s.docs.last()); err != nil || s.x.spent {
				return nil, err
			}
			continue
		}
		if !s.started {
			s.started = true
			if err := s.begin(); err != nil || s.x.spent {
				return nil, err
			}
			continue
		}
		if !s.it.Valid() || bytes.Compare(s.it.Key(), s.to) >= 0 || bytes.Compare(s.it.Key(), s.from) < 0 {
			return nil, s.it.Error()
		}
		v, ok := s.valueHere()
		if !ok {
			return nil, layout.Damaged("posting")
		}
		if layout.IsLong(v) {
			v = v[:len(v)-layout.ValueHash]
		}
		s.value = append(s.value[:0], v...)
		if err := s.read(nil); err != nil || s.x.spent {
			return nil, err
		}
	}
}

func (s *pastStream) begin() error {
	if s.after != nil {
		v := layout.AppendValue(nil, s.after.key)
		s.at = append(append(s.at[:0], s.prefix...), v...)
		if s.descending && bytes.Compare(s.at, s.to) < 0 || !s.descending && bytes.Compare(s.at, s.from) >= 0 {
			if layout.IsLong(v) {
				v = v[:len(v)-layout.ValueHash]
			}
			s.value = append(s.value[:0], v...)
			return s.again(s.after)
		}
	}
	if s.descending {
		s.it.SeekLT(s.to)
	} else {
		s.it.SeekGE(s.from)
	}
	return nil
}

// again reads the rows of s.value once more, those behind one of them.
func (s *pastStream) again(behindRow *orderRow) error {
	s.at = append(append(s.at[:0], s.prefix...), s.value...)
	if s.descending {
		s.it.SeekLT(prefixEnd(s.at))
	} else {
		s.it.SeekGE(s.at)
	}
	return s.read(behindRow)
}

// valueHere is the value of the row at which the iterator stands.
func (s *pastStream) valueHere() ([]byte, bool) {
	key := s.it.Key()
	if len(key) < len(s.prefix)+2+layout.ChunkLen || !bytes.HasPrefix(key, s.prefix) {
		return nil, false
	}
	return key[len(s.prefix) : len(key)-layout.ChunkLen], true
}

// read brings the rows of s.value, at the first or last of which the iterator stands, into order, and goes beyond them.
func (s *pastStream) read(behindRow *orderRow) error {
	s.docs.begin(behindRow)
	s.docs.limit, s.docs.descending = s.x.limit+1, s.descending
	for s.it.Valid() {
		v, ok := s.valueHere()
		if !ok || !bytes.HasPrefix(v, s.value) {
			break
		}
		if !s.x.step(1) {
			return s.x.stopped()
		}
		if err := s.offer(v); err != nil || s.x.spent {
			return err
		}
		if s.descending {
			s.it.Prev()
		} else {
			s.it.Next()
		}
	}
	return s.it.Error()
}

// offer gives the documents of a posting to the group.
func (s *pastStream) offer(v []byte) error {
	stored, err := s.it.ValueAndErr()
	if err != nil {
		return err
	}
	s.set.Clear()
	if err := layout.AddNumbers(&s.set, stored); err != nil {
		return err
	}
	s.set.And(s.in)
	row := orderRow{}
	for row.number = range roaring.Values(&s.set) {
		if !s.x.step(1) {
			return s.x.stopped()
		}
		if row.key == nil {
			if row.key, err = s.keyOf(v, row.number); err != nil || !s.inside(row.key) {
				return err
			}
		}
		if row.entry, _, err = s.x.r.EntryOf(s.x.past, s.x.c, row.number); err != nil {
			return err
		}
		s.docs.offer(row)
	}
	return nil
}

// keyOf is the whole key of a posting that has a document.
func (s *pastStream) keyOf(v []byte, n uint32) ([]byte, error) {
	if layout.IsLong(v) {
		return s.wholeKey(n)
	}
	key, ok := layout.ReadValue(nil, v)
	if !ok {
		return nil, layout.Damaged("posting")
	}
	return key, nil
}
