package plan

import (
	"bytes"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// pastStream scans the postings of documents value by value. The documents of a value come in the order of their entries, and
// those whose values have the same beginning are brought into the order of both.
type pastStream struct {
	fieldScan
	it      *pebble.Iterator
	started bool
	value   []byte // of the rows in the group, or its beginning where that is long
	long    bool
	group   pinStream // the documents of a value that is not long
	grouped bool      // it has some
	key     []byte    // of their value
	row     orderRow
	docs    topRows        // those of a long value
	set     roaring.Bitmap // documents of a posting, or in the group
	at      []byte
}

func (s *pastStream) next() (*orderRow, error) {
	for {
		if s.grouped {
			row, err := s.group.next()
			if err != nil || s.x.spent {
				return nil, err
			}
			if row != nil {
				s.row = *row
				s.row.key = s.key
				return &s.row, nil
			}
			s.grouped = false
		}
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
		s.take(v)
		if err := s.read(nil); err != nil || s.x.spent {
			return nil, err
		}
	}
}

// take makes a value the one whose documents are read.
func (s *pastStream) take(v []byte) {
	if s.long = layout.IsLong(v); s.long {
		v = v[:len(v)-layout.ValueHash]
	}
	s.value = append(s.value[:0], v...)
}

func (s *pastStream) begin() error {
	if s.after != nil {
		v := layout.AppendValue(nil, s.after.key)
		s.at = append(append(s.at[:0], s.prefix...), v...)
		if s.descending && bytes.Compare(s.at, s.to) < 0 || !s.descending && bytes.Compare(s.at, s.from) >= 0 {
			s.take(v)
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
	s.set.Clear()
	for s.it.Valid() {
		v, ok := s.valueHere()
		if !ok || !bytes.HasPrefix(v, s.value) {
			break
		}
		if !s.x.step(1) {
			return s.x.stopped()
		}
		stored, err := s.it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := layout.AddNumbers(&s.set, stored); err != nil {
			return err
		}
		if s.long {
			if err := s.offer(); err != nil || s.x.spent {
				return err
			}
			s.set.Clear()
		}
		if s.descending {
			s.it.Prev()
		} else {
			s.it.Next()
		}
	}
	if err := s.it.Error(); err != nil || s.long {
		return err
	}
	return s.beginGroup(behindRow)
}

// beginGroup begins with the documents in s.set, all of which have s.value.
func (s *pastStream) beginGroup(behindRow *orderRow) error {
	s.set.And(s.in)
	if s.set.IsEmpty() {
		return nil
	}
	var ok bool
	if s.key, ok = layout.ReadValue(s.key[:0], s.value); !ok {
		return layout.Damaged("posting")
	}
	if s.grouped = s.inside(s.key); !s.grouped {
		return nil
	}
	if behindRow != nil {
		behindRow = &orderRow{entry: behindRow.entry}
	}
	return s.group.begin(s.x, &s.set, behindRow)
}

// offer brings the documents in s.set, all of which have the same long value, into order with those of others.
func (s *pastStream) offer() error {
	s.set.And(s.in)
	row := orderRow{}
	for row.number = range roaring.Values(&s.set) {
		if !s.x.step(1) {
			return s.x.stopped()
		}
		var err error
		if row.key == nil {
			if row.key, err = s.wholeKey(row.number); err != nil || !s.inside(row.key) {
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
