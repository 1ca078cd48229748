package plan

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// liveStream scans TableOrdered, in which the rows of a value lie in the order of entries. So in descending order it goes
// back value by value, and through the rows of each forward. Values of which keys tell the beginning only are put in order by
// their documents.
type liveStream struct {
	fieldScan
	it      *pebble.Iterator
	started bool
	row     orderRow
	at      []byte // where it looked
	value   []byte // of the rows that it goes through forward, in descending order
	forward bool
	long    topRows    // rows with the same beginning
	start   []byte     // of their values
	back    []orderRow // rows of a value that were passed backwards, the last one first
	backKey []byte     // their key
	moved   bool       // the iterator stands on a row that was not looked at
}

// shortRun is up to how many rows of a value are passed backwards before they are read forward.
const shortRun = 32

func (s *liveStream) next() (*orderRow, error) {
	for {
		if row := s.long.take(); row != nil {
			return row, nil
		}
		if s.long.cut {
			last := s.long.last()
			if err := s.readLong(s.start, last); err != nil || s.x.spent {
				return nil, err
			}
			continue
		}
		if n := len(s.back); n > 0 {
			s.row, s.back = s.back[n-1], s.back[:n-1]
			return &s.row, nil
		}
		if !s.started {
			s.started, s.moved = true, true
			if err := s.begin(); err != nil || s.x.spent {
				return nil, err
			}
			continue
		}
		ok, err := s.advance()
		if err != nil || !ok {
			return nil, err
		}
		found, err := s.visit()
		if err != nil || s.x.spent {
			return nil, err
		}
		if found {
			return &s.row, nil
		}
	}
}

// advance moves to the next row, in whichever direction.
func (s *liveStream) advance() (bool, error) {
	switch {
	case s.moved:
	case s.descending && !s.forward:
		s.it.Prev()
	default:
		s.it.Next()
	}
	s.moved = false
	if s.forward && !s.sameValue() { // the value's rows end
		s.forward = false
		s.at = append(append(s.at[:0], s.prefix...), s.value...)
		s.it.SeekLT(s.at)
	}
	if !s.it.Valid() || bytes.Compare(s.it.Key(), s.to) >= 0 || bytes.Compare(s.it.Key(), s.from) < 0 {
		return false, s.it.Error()
	}
	if !s.x.step(1) {
		return false, s.x.stopped()
	}
	return true, nil
}

func (s *liveStream) sameValue() bool {
	if !s.it.Valid() {
		return false
	}
	v, ok := s.valueHere()
	return ok && bytes.Equal(v, s.value)
}

// valueHere is the value of the row at which the iterator stands.
func (s *liveStream) valueHere() ([]byte, bool) {
	key := s.it.Key()
	if len(key) < len(s.prefix)+2+16 || !bytes.HasPrefix(key, s.prefix) {
		return nil, false
	}
	return key[len(s.prefix) : len(key)-16], true
}

// begin goes to the first row, or behind the one after which the list goes on.
func (s *liveStream) begin() error {
	if s.after == nil {
		s.seekEnd()
		return nil
	}
	v := layout.AppendValue(nil, s.after.key)
	s.at = append(append(s.at[:0], s.prefix...), v...)
	switch {
	case s.descending && bytes.Compare(s.at, s.to) >= 0, !s.descending && bytes.Compare(s.at, s.from) < 0:
		s.seekEnd()
		return nil
	case layout.IsLong(v):
		return s.readLong(v[:len(v)-layout.ValueHash], s.after)
	case s.descending:
		s.forward, s.value = true, v
	}
	s.at = layout.Successor(append(s.at, s.after.entry[:]...))
	s.it.SeekGE(s.at)
	return nil
}

func (s *liveStream) seekEnd() {
	if s.descending {
		s.it.SeekLT(s.to)
	} else {
		s.it.SeekGE(s.from)
	}
}

// visit looks at the row at which the iterator stands: found if it is the next one of the list.
func (s *liveStream) visit() (found bool, err error) {
	v, ok := s.valueHere()
	if !ok {
		return false, layout.Damaged("ordered row")
	}
	if !s.forward && layout.IsLong(v) {
		s.start = append(s.start[:0], v[:len(v)-layout.ValueHash]...)
		s.moved = true
		return false, s.readLong(s.start, nil)
	}
	if s.descending && !s.forward {
		return false, s.passBack(v)
	}
	n, err := layout.EntryNumberIn(s.it)
	if err != nil || !s.has(n) {
		return false, err
	}
	if s.row.key, ok = layout.ReadValue(s.row.key[:0], v); !ok {
		return false, layout.Damaged("ordered row")
	}
	s.row.number = n
	copy(s.row.entry[:], s.it.Key()[len(s.it.Key())-16:])
	return true, nil
}

// passBack takes the rows of a value backwards, from its last; where they are many it goes to the first and reads forward.
func (s *liveStream) passBack(v []byte) error {
	s.value = append(s.value[:0], v...)
	var ok bool
	if s.backKey, ok = layout.ReadValue(s.backKey[:0], v); !ok {
		return layout.Damaged("ordered row")
	}
	s.back = s.back[:0]
	for rows := 0; ; rows++ {
		if rows == s.x.engine.costs.ShortRun {
			s.back, s.forward, s.moved = s.back[:0], true, true
			s.at = append(append(s.at[:0], s.prefix...), s.value...)
			s.it.SeekGE(s.at)
			return nil
		}
		n, err := layout.EntryNumberIn(s.it)
		if err != nil {
			return err
		}
		if s.has(n) {
			s.back = append(s.back, orderRow{key: s.backKey, entry: layout.EntryID(s.it.Key()[len(s.it.Key())-16:]), number: n})
		}
		if s.it.Prev(); !s.sameValue() {
			s.moved = true
			return s.it.Error()
		}
		if !s.x.step(1) {
			s.back = s.back[:0]
			return s.x.stopped()
		}
	}
}
