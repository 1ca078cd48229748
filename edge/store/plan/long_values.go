package plan

import (
	"bytes"

	"svc/edge/store/layout"
)

// readLong puts the rows whose values have the same beginning in order, those behind a row, and goes on beyond them.
func (s *liveStream) readLong(start []byte, behindRow *orderRow) error {
	if len(s.start) == 0 || &s.start[0] != &start[0] {
		s.start = append(s.start[:0], start...)
	}
	s.long.begin(behindRow)
	s.long.limit, s.long.descending = s.x.limit+1, s.descending
	lower := append(bytes.Clone(s.prefix), s.start...)
	upper := prefixEnd(bytes.Clone(lower))
	var hashed, key []byte
	for ok := s.it.SeekGE(lower); ok && bytes.Compare(s.it.Key(), upper) < 0; ok = s.it.Next() {
		if !s.x.step(1) {
			return s.x.stopped()
		}
		v, ok := s.valueHere()
		if !ok {
			return layout.Damaged("ordered row")
		}
		n, err := layout.EntryNumberIn(s.it)
		if err != nil {
			return err
		}
		if !s.has(n) {
			continue
		}
		if !bytes.Equal(hashed, v) {
			hashed = append(hashed[:0], v...)
			if key, err = s.wholeKey(n); err != nil {
				return err
			}
		}
		if s.inside(key) {
			s.long.offer(orderRow{key: key, entry: layout.EntryID(s.it.Key()[len(s.it.Key())-16:]), number: n})
		}
	}
	if s.descending {
		s.it.SeekLT(lower)
	}
	return s.it.Error()
}

// wholeKey reads a long value from the document of an entry.
func (l *fieldScan) wholeKey(n uint32) ([]byte, error) {
	l.x.left -= documentSteps
	_, d, err := l.x.r.DocumentOf(l.x.past, l.x.c, n)
	if err != nil {
		return nil, err
	}
	return l.of.ValueIn(d.Fields, l.source.locale)
}
