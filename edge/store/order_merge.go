package store

import (
	"slices"

	"svc/edge/store/layout"
)

// merged gives the rows of several streams in order.
type merged struct {
	streams    []stream
	heads      []*orderRow
	descending bool
	last       int // the stream whose head was given last; -1: none yet
}

func (m *merged) next() (*orderRow, error) {
	if m.last < 0 {
		m.heads = make([]*orderRow, len(m.streams))
		for i := range m.streams {
			if err := m.fill(i); err != nil {
				return nil, err
			}
		}
	} else if err := m.fill(m.last); err != nil {
		return nil, err
	}
	m.last = 0
	for i, head := range m.heads {
		if best := m.heads[m.last]; best == nil || head != nil && head.compare(best, m.descending) < 0 {
			m.last = i
		}
	}
	return m.heads[m.last], nil
}

func (m *merged) fill(i int) (err error) {
	m.heads[i], err = m.streams[i].next()
	return err
}

// valueRows gives the matches that have a value of the ordering field, in its order, and what the field's range leaves.
func (f *execution) valueRows(window *interval, after *orderRow) (stream, error) {
	field := f.q.Order.Field
	sources := slices.Clone(f.sources(field))
	var all []stream
	for i := range sources {
		s := &sources[i]
		l := lane{
			execution: f, in: f.matched, role: s.role, source: *s, of: f.place.definition(field), window: window,
			descending: f.q.Order.Descending, after: after,
		}
		var one stream
		var err error
		if s.behind {
			one, err = f.streamBehind(&l, sources)
		} else {
			one, err = f.stream(&l)
		}
		if err != nil {
			return nil, err
		}
		if one != nil {
			all = append(all, one)
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &merged{streams: all, descending: f.q.Order.Descending, last: -1}, nil
}

// streamBehind is the stream of what has no value in the first source, which often are few or none: those are not looked for
// in the order of all, but by their documents.
func (f *execution) streamBehind(l *lane, sources []source) (stream, error) {
	field := f.q.Order.Field
	in := f.newNumbers()
	if err := f.readPresence(&in, f.matched, field, l.source.locale, layout.Fits); err != nil {
		return nil, err
	}
	switch {
	case f.matched != nil:
		in.And(f.matched)
	case f.past:
		all := f.newNumbers()
		if err := f.loadLive(&all); err != nil {
			return nil, err
		}
		in.And(&all)
	}
	hidden, err := f.hiding(field, &in, sources)
	if err != nil {
		return nil, err
	}
	in.AndNot(&hidden)
	n := in.Count()
	if n == 0 {
		return nil, nil
	}
	l.in = &in
	if rows := f.wholeWalk(); documentSteps*n < min(rows, (f.limit+1)*rows/n) {
		return &memberStream{execution: f, of: in, after: l.after, by: l}, nil
	}
	return f.stream(l)
}

func (f *execution) stream(l *lane) (stream, error) {
	it, err := f.r.iterator(l.role)
	if err != nil {
		return nil, err
	}
	t := layout.TableOrdered
	if f.past {
		t = f.space.Postings
	}
	l.prefix = f.meta.gen.Field(nil, t, f.c, l.of.Number, l.source.locale)
	l.from, l.to = l.window.bounds(l.prefix)
	if f.past {
		if l.in == nil { // what was live then is not all there is
			all := f.newNumbers()
			if err := f.loadLive(&all); err != nil {
				return nil, err
			}
			l.in = &all
		}
		return &pastStream{lane: *l, it: it}, nil
	}
	return &liveStream{lane: *l, it: it}, nil
}
