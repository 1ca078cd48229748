package store

import "svc/edge/store/layout"

// What ways to a page cost, in steps: of an iterator to the next row.
const (
	memberSteps  = 2  // to look which entry a number is
	pinSteps     = 12 // to look what an entry was at a pin
	walkOver     = 4  // a walk may take so many times what it should
	walkAnyway   = 256
	heavyMatches = 4096
)

// takesWalk reports whether walking the order promises to be less than looking at every match.
func (f *execution) takesWalk() bool {
	switch f.s.cfg.tune.ways {
	case waysWalk:
		return true
	case waysGather:
		return false
	}
	return f.walkCost() < f.gatherCost()
}

// walkCost is how far a walk should have to go until the page is full.
func (f *execution) walkCost() int {
	return min(int(uint64(f.limit+1)*uint64(f.wholeWalk())/uint64(max(1, f.count))), f.wholeWalk())
}

// wholeWalk is how far it is from one end of the order to the other.
func (f *execution) wholeWalk() int {
	switch {
	case !f.past:
		return int(f.t.live)
	case f.q.Order.IsDefault():
		return pinSteps * int(f.t.ever)
	}
	return int(f.t.documents) + memberSteps*f.count
}

func (f *execution) gatherCost() int {
	if f.q.Order.IsDefault() && len(f.ranges) == 0 {
		return memberSteps * f.count
	}
	return documentSteps * f.count
}

// walk walks the order until the page is full; done is false where it took too many steps, which to the end it never does.
func (f *execution) walk(toTheEnd bool) (done bool, err error) {
	f.left, f.spent = maxSteps, false
	if !toTheEnd {
		f.left = f.s.cfg.tune.steps(walkOver*f.walkCost() + walkAnyway)
	}
	switch {
	case !f.q.Order.IsDefault():
		err = f.walkField()
	case f.past:
		err = f.walkPin()
	default:
		err = f.walkHead()
	}
	return !f.spent, err
}

// walkField walks what has a value of the ordering field, and then what has none.
func (f *execution) walkField() error {
	after, err := f.afterRow()
	if err != nil {
		return err
	}
	window := f.window()
	tested := len(f.ranges) > 1 || len(f.ranges) == 1 && window == nil
	if f.q.After == nil || !f.q.After.Missing {
		rows, err := f.valueRows(window, after)
		if err != nil {
			return err
		}
		if done, err := f.takeRows(rows, tested, false); err != nil || done {
			return err
		}
		after = nil
	}
	if window != nil {
		return nil // which a missing value is never in
	}
	rows, err := f.missingRows(after)
	if err != nil || rows == nil {
		return err
	}
	_, err = f.takeRows(rows, tested, true)
	return err
}

// takeRows fills the page, and reports whether that is the end of the walk.
func (f *execution) takeRows(rows stream, tested, missing bool) (done bool, err error) {
	for {
		row, err := rows.next()
		if err != nil || f.spent {
			return true, err
		}
		if row == nil {
			return false, nil
		}
		if !tested && f.full() {
			f.more = true
			return true, nil
		}
		d, live, err := f.r.document(f.c, row.entry, f.documentsAt())
		if err != nil {
			return true, err
		}
		if !live {
			return true, layout.Damaged("index: an entry of it has no document")
		}
		if tested {
			f.left -= documentSteps
			matches, err := f.q.Conditions.Match(d.Fields)
			if err != nil {
				return true, err
			}
			if !matches {
				continue
			}
			if f.full() {
				f.more = true
				return true, nil
			}
		}
		f.addKeyed(row.entry, missing, row.key, &d)
	}
}

// documentsAt is the release whose documents are read.
func (f *execution) documentsAt() uint64 {
	if f.past {
		return f.t.release
	}
	return layout.MaxRelease
}
