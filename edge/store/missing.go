package store

import (
	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
)

// missingRows gives the matches that have no value of the ordering field, by id; nil where there are none.
func (f *execution) missingRows(after *orderRow) (stream, error) {
	with, err := f.gatherSources(f.q.Order.Field, f.matched, func(dst, within *bitmap.Set, s *source) error {
		return f.readPresence(dst, within, f.q.Order.Field, s.locale, layout.Fits)
	})
	if err != nil {
		return nil, err
	}
	without := f.newNumbers()
	if f.matched != nil {
		without.AddCopy(f.matched)
	} else if err := f.readAll(&without); err != nil {
		return nil, err
	}
	without.AndNot(&with)
	n := without.Count()
	if n == 0 {
		return nil, nil
	}
	if !f.past && (f.limit+1)*int(f.t.live)/n < memberSteps*n {
		l := lane{execution: f, in: &without, role: fallback, after: after}
		l.prefix = f.meta.gen.Field(nil, layout.TableOrdered, f.c, layout.EveryEntry, nil)
		l.from, l.to = l.window.bounds(l.prefix)
		it, err := f.r.iterator(l.role)
		return &liveStream{lane: l, it: it}, err
	}
	return &memberStream{execution: f, of: without, after: after}, nil
}

// memberStream gives the entries of a set in order by looking at all of them.
type memberStream struct {
	*execution
	of      bitmap.Set
	by      *lane // whose values order them; nil: they have none, and go by id
	after   *orderRow
	rows    group
	started bool
}

func (s *memberStream) next() (*orderRow, error) {
	for {
		if row := s.rows.take(); row != nil {
			return row, nil
		}
		switch {
		case !s.started:
			s.started = true
		case s.rows.cut:
			s.after = s.rows.last()
		default:
			return nil, nil
		}
		if err := s.read(); err != nil || s.spent {
			return nil, err
		}
	}
}

func (s *memberStream) read() error {
	s.rows.begin(s.after)
	s.rows.limit, s.rows.descending = s.limit+1, s.by != nil && s.by.descending
	return s.of.Each(func(n uint32) (bool, error) {
		if !s.step() {
			return false, s.stopped()
		}
		row := orderRow{number: n}
		var err error
		if s.by != nil {
			row.key, err = s.by.wholeKey(n)
		}
		if err == nil && (s.by == nil || s.by.holds(row.key)) {
			row.entry, _, err = s.entryOf(n)
			s.rows.offer(row)
		}
		return true, err
	})
}
