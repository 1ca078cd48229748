package plan

import (
	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/shared/query"
)

// match finds what the search and the conditions match: a set of what has values, and for ranges the intervals that they leave.
func (x *execution) match() error {
	conditions := x.q.Conditions.All()
	for _, first := range []bool{true, false} { // what matches some before what matches all but some
		if err := x.search(!first); err != nil {
			return err
		}
		for i := range conditions {
			c := &conditions[i]
			if isRange(c.Op) || isPositive(c) != first {
				continue
			}
			if err := x.narrow(c); err != nil {
				return err
			}
			if x.matched.IsEmpty() {
				x.count = 0
				return nil
			}
		}
	}
	if x.matched != nil {
		if err := x.countMatches(); err != nil || x.count == 0 {
			return err
		}
	}
	return x.bound(conditions)
}

// isPositive reports whether a condition matches only entries that have a value.
func isPositive(c *query.Condition) bool {
	return c.Op != query.OpNotEqual && !(c.Op == query.OpExists && !c.Exists)
}

// narrow leaves what one condition matches.
func (x *execution) narrow(c *query.Condition) error {
	of := x.collection.definition(c.Field)
	set, err := x.unionOfSources(c.Field, of, func(s *source) (*roaring.Bitmap, error) {
		switch {
		case c.Op == query.OpExists:
			return x.presence(x.space, of, s.locale, layout.Fits)
		case len(c.Keys) == 1:
			return x.posting(of, s.locale, c.Keys[0])
		}
		var sets []*roaring.Bitmap
		for _, key := range c.Keys {
			set, err := x.posting(of, s.locale, key)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set)
		}
		return union(sets), nil
	})
	if err != nil {
		return err
	}
	return x.take(set, isPositive(c))
}

// take leaves what is in a set, or what is not.
func (x *execution) take(set *roaring.Bitmap, in bool) error {
	if !in && x.matched == nil {
		var err error
		if x.matched, err = x.live(); err != nil {
			return err
		}
	}
	switch {
	case x.matched == nil:
		x.matched = set
	case in:
		x.matched = roaring.And(x.matched, set)
	default:
		x.matched = roaring.AndNot(x.matched, set)
	}
	return nil
}

// live returns everything that is live.
func (x *execution) live() (*roaring.Bitmap, error) {
	if x.past {
		return x.engine.sets.LiveSet(x.r, x.c, x.last.Release)
	}
	x.key = append(x.r.Generation.Field(x.key, layout.TablePresence, x.c, layout.EveryEntry, nil), layout.Fits)
	return x.set(x.changed)
}

// countMatches counts what matches. What matched at any time counts for as many as were live at a pin, about: which of them were is told
// when they are looked at, and few may be.
func (x *execution) countMatches() error {
	x.count = int(x.matched.GetCardinality())
	if !x.past || x.count == 0 {
		return nil
	}
	x.count = max(1, int(uint64(x.count)*uint64(x.last.Live)/uint64(x.ever)))
	var err error
	x.members.live, err = x.live()
	return err
}
