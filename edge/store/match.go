package store

import (
	"slices"

	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
	"svc/shared/query"
	"svc/shared/schema"
)

// match finds what the conditions match. Ranges come last, and those that would take too many steps stay in f.ranges.
func (f *execution) match() error {
	conditions := f.q.Conditions.All()
	for _, first := range []bool{true, false} { // what matches some before what matches all but some
		for i := range conditions {
			c := &conditions[i]
			if isRange(c.Op) || isPositive(c) != first {
				continue
			}
			if err := f.narrow(c); err != nil {
				return err
			}
			if f.matched.Empty() {
				f.count = 0
				return nil
			}
		}
	}
	f.collectRanges(conditions)
	if f.matched != nil {
		if err := f.counted(); err != nil {
			return err
		}
	}
	return f.tryRanges()
}

// isPositive reports whether a condition matches only entries that have a value.
func isPositive(c *query.Condition) bool {
	return c.Op != query.OpNotEqual && !(c.Op == query.OpExists && !c.Exists)
}

// narrow leaves what one condition matches.
func (f *execution) narrow(c *query.Condition) error {
	if !isPositive(c) && f.matched == nil {
		if err := f.startWithAll(); err != nil {
			return err
		}
	}
	set, err := f.gatherSources(c.Field, f.matched, func(dst, within *bitmap.Set, s *source) error {
		if c.Op == query.OpExists {
			return f.readPresence(dst, within, c.Field, s.locale, layout.Fits)
		}
		for _, key := range c.Keys {
			if err := f.readPosting(dst, within, c.Field, s.locale, key); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case f.matched == nil:
		f.matched = &set
	case isPositive(c):
		f.matched.And(&set)
	default:
		f.matched.AndNot(&set)
	}
	return nil
}

// startWithAll makes everything that is live the matches.
func (f *execution) startWithAll() error {
	all := f.newNumbers()
	f.matched = &all
	return f.readAll(&all)
}

// readAll adds everything that is live.
func (f *execution) readAll(all *bitmap.Set) error {
	if f.past {
		return f.loadLive(all)
	}
	f.key = append(f.meta.gen.Field(f.key, layout.TablePresence, f.c, layout.EveryEntry, nil), layout.Fits)
	return f.readSet(all, nil)
}

func (f *execution) loadLive(all *bitmap.Set) error {
	live, err := f.s.liveSet(f.r, f.c, f.t.release)
	if err == nil {
		all.AddRoaring(live)
	}
	return err
}

// counted leaves what was live, which for what is live now holds already, and counts it.
func (f *execution) counted() error {
	f.count = f.matched.Count()
	if !f.past || f.count == 0 {
		return nil
	}
	if f.count > int(f.t.live) {
		live := f.newNumbers()
		if err := f.loadLive(&live); err != nil {
			return err
		}
		f.matched.And(&live)
	} else {
		live, err := f.s.liveSet(f.r, f.c, f.t.release)
		if err != nil {
			return err
		}
		f.matched.AndRoaring(live)
	}
	f.count = f.matched.Count()
	return nil
}

// collectRanges makes one interval of all ranges of a field.
func (f *execution) collectRanges(conditions []query.Condition) {
	for i := range conditions {
		c := &conditions[i]
		if !isRange(c.Op) {
			continue
		}
		n := slices.IndexFunc(f.ranges, func(in interval) bool { return in.field == c.Field })
		if n < 0 {
			n = len(f.ranges)
			f.ranges = append(f.ranges, interval{field: c.Field})
		}
		f.ranges[n].take(c)
	}
}

// takeSet leaves what a range matches.
func (f *execution) takeSet(set *bitmap.Set) error {
	if f.matched == nil {
		f.matched = set
	} else {
		f.matched.And(set)
	}
	return f.counted()
}

// window returns the range of the field that orders the list, nil where there is none.
func (f *execution) window() *interval {
	if f.q.Order.IsDefault() {
		return nil
	}
	return f.rangeOf(f.q.Order.Field)
}

func (f *execution) rangeOf(field *schema.Field) *interval {
	for i := range f.ranges {
		if f.ranges[i].field == field {
			return &f.ranges[i]
		}
	}
	return nil
}
