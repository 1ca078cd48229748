package plan

import (
	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// missingRows gives the matches that have no value of the ordering field, by id; nil where there are none.
func (x *execution) missingRows(after *orderRow) (stream, error) {
	of := x.collection.definition(x.q.Order.Field)
	with, err := x.unionOfSources(x.q.Order.Field, of, func(dst *roaring.Bitmap, s *source) error {
		return x.readPresence(dst, of, s.locale, layout.Fits)
	})
	if err != nil {
		return nil, err
	}
	all := x.matched
	if all == nil {
		if all, err = x.live(); err != nil {
			return nil, err
		}
	}
	without := roaring.AndNot(all, with)
	n := int(without.GetCardinality())
	if n == 0 {
		return nil, nil
	}
	if !x.past && (x.limit+1)*int(x.last.Live)/n < numberSteps*n {
		l := fieldScan{x: x, in: without, role: snapshot.OrderedDefault, after: after}
		l.prefix = x.r.Generation.Field(nil, layout.TableOrdered, x.c, layout.EveryEntry, nil)
		l.from, l.to = l.window.bounds(l.prefix)
		it, err := x.r.Iterator(l.role)
		return &liveStream{fieldScan: l, it: it}, err
	}
	if x.past {
		s := &pinStream{}
		return s, s.begin(x, without, after)
	}
	return &setStream{x: x, of: without, after: after}, nil
}

// setStream gives the entries of a set in order by looking at all of them.
type setStream struct {
	x       *execution
	of      *roaring.Bitmap
	by      *fieldScan // whose values order them; nil: they have none, and go by id
	after   *orderRow
	rows    topRows
	started bool
}

func (s *setStream) next() (*orderRow, error) {
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
		if err := s.read(); err != nil || s.x.spent {
			return nil, err
		}
	}
}

func (s *setStream) read() error {
	s.rows.begin(s.after)
	s.rows.limit, s.rows.descending = s.x.limit+1, s.by != nil && s.by.descending
	for n := range roaring.Values(s.of) {
		if !s.x.step(1) {
			return s.x.stopped()
		}
		row := orderRow{number: n}
		var err error
		if s.by != nil {
			if row.key, err = s.by.wholeKey(n); err != nil {
				return err
			}
			if !s.by.holds(row.key) {
				continue
			}
		}
		if row.entry, _, err = s.x.r.EntryOf(s.x.past, s.x.c, n); err != nil {
			return err
		}
		s.rows.offer(row)
	}
	return nil
}
