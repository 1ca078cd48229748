package read

import "slices"

// Scan makes the page that a query wants from a walk over rows, for a store that has no better way: it is what filters,
// searches and orders mean. The walk passes every row that can be in the list, in any order, each with the Key of the default order where
// that is wanted, until yield returns false; a row's Fields need to hold during the call only. With inOrder the walk passes
// the rows behind After in the order of the query, and ends with the row that tells that more follow.
//
// It holds no more than a page and one row, so the walk may be over millions.
func Scan(q *ListQuery, inOrder bool, walk func(yield func(*Row) bool) error) (Page, error) {
	s := scan{query: q, inOrder: inOrder}
	err := walk(func(row *Row) bool {
		s.err = s.offer(row)
		return s.err == nil && !s.done
	})
	if s.err != nil {
		err = s.err
	}
	if err != nil {
		return Page{}, err
	}
	return Page{Rows: s.rows, More: s.more}, nil
}

// scan is a page in the making: the first rows of those that were passed so far, in order.
type scan struct {
	query   *ListQuery
	inOrder bool

	rows []Row
	full bool // the page takes no row behind the last one
	more bool // a row that matches follows the last one
	done bool
	err  error

	key [64]byte // scratch, enough for the keys of all classes but text with escapes
}

// place is where an offered row stands; its value is not copied yet.
type place struct {
	missing bool
	value   []byte
}

func (s *scan) offer(row *Row) error {
	p, err := s.place(row)
	if err != nil {
		return err
	}
	if a := s.query.After; a != nil && s.compare(&p, row, a) <= 0 {
		return nil
	}
	behind := len(s.rows) == 0 || s.inOrder || s.compare(&p, row, &s.rows[len(s.rows)-1].Key) > 0
	if behind && s.full && s.more {
		return nil
	}
	matches, err := s.query.Match(row.Fields)
	if err != nil || !matches {
		return err
	}
	if behind && s.full {
		s.more, s.done = true, s.inOrder
		return nil
	}
	s.insert(p, row, behind)
	return nil
}

func (s *scan) place(row *Row) (p place, err error) {
	if s.query.Order.IsDefault() {
		return place{row.Key.Missing, append(s.key[:0], row.Key.Value...)}, nil
	}
	p.value, p.missing, err = s.query.Order.Key(s.key[:0], row.Fields)
	return p, err
}

func (s *scan) compare(p *place, row *Row, with *Key) int {
	values := 1
	switch { // bytes are compared with a string in place
	case string(p.value) == with.Value:
		values = 0
	case string(p.value) < with.Value:
		values = -1
	}
	return comparePlaces(&s.query.Order, p.missing, with.Missing, values, row.Entry, with.Entry)
}

// insert puts a copy of a row where it belongs and drops what the page has no room for any more.
func (s *scan) insert(p place, row *Row, behind bool) {
	at := len(s.rows)
	if !behind {
		at, _ = slices.BinarySearchFunc(s.rows, row, func(have Row, row *Row) int { return -s.compare(&p, row, &have.Key) })
	}
	kept := *row
	kept.Fields = slices.Clone(row.Fields)
	kept.Key = Key{Missing: p.missing, Value: string(p.value), Entry: row.Entry}
	s.rows = slices.Insert(s.rows, at, kept)
	s.trim()
}

// trim ends the page where it is full. Rows that come later only stand before what is dropped, so none is missed.
func (s *scan) trim() {
	bytes := 0
	for i := range s.rows {
		bytes += len(s.rows[i].Fields)
		s.full = i+1 == s.query.Limit || s.query.Bytes > 0 && bytes >= s.query.Bytes
		if s.full {
			s.more = s.more || i+1 < len(s.rows)
			clear(s.rows[i+1:])
			s.rows = s.rows[:i+1]
			return
		}
	}
}
