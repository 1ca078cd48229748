package plan

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

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
func (x *execution) valueRows(window *interval, after *orderRow) (stream, error) {
	field := x.q.Order.Field
	sources := slices.Clone(x.sources(field))
	var all []stream
	for i := range sources {
		s := &sources[i]
		l := fieldScan{
			x: x, in: x.matched, role: s.role, source: *s, of: x.collection.definition(field), window: window,
			descending: x.q.Order.Descending, after: after,
		}
		var one stream
		var err error
		if s.fallback {
			one, err = x.fallbackStream(&l, sources)
		} else {
			one, err = x.stream(&l)
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
	return &merged{streams: all, descending: x.q.Order.Descending, last: -1}, nil
}

// fallbackStream is the stream of what has no value in the first source, which often are few or none: those are not looked for
// in the order of all, but by their documents.
func (x *execution) fallbackStream(l *fieldScan, sources []source) (stream, error) {
	in := roaring.New()
	if err := x.readPresence(in, l.of, l.source.locale, layout.Fits); err != nil {
		return nil, err
	}
	switch {
	case x.matched != nil:
		in.And(x.matched)
	case x.past:
		live, err := x.live()
		if err != nil {
			return nil, err
		}
		in.And(live)
	}
	hidden, err := x.hiding(l.of, sources)
	if err != nil {
		return nil, err
	}
	in.AndNot(hidden)
	n := int(in.GetCardinality())
	if n == 0 {
		return nil, nil
	}
	l.in = in
	if rows := x.wholeScan(); documentSteps*n < min(rows, (x.limit+1)*rows/n) {
		return &setStream{x: x, of: in, after: l.after, by: l}, nil
	}
	return x.stream(l)
}

func (x *execution) stream(l *fieldScan) (stream, error) {
	it, err := x.r.Iterator(l.role)
	if err != nil {
		return nil, err
	}
	t := layout.TableOrdered
	if x.past {
		t = x.space.Postings
	}
	l.prefix = x.r.Generation.Field(nil, t, x.c, l.of.Number, l.source.locale)
	l.from, l.to = l.window.bounds(l.prefix)
	if x.past {
		if l.in == nil { // what was live then is not all there is
			if l.in, err = x.live(); err != nil {
				return nil, err
			}
		}
		return &pastStream{fieldScan: *l, it: it}, nil
	}
	return &liveStream{fieldScan: *l, it: it}, nil
}
