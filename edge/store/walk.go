package store

import "bytes"

// What ways to a page cost, in steps: of an iterator to the next row.
const (
	memberSteps  = 2  // to look which entry a number is
	pinSteps     = 12 // to look what an entry was at a pin
	walkOver     = 4  // a walk may take so many times what it should
	walkAnyway   = 256
	heavyMatches = 4096
)

// takesWalk reports whether walking the order promises to be less than looking at every match.
func (f *finding) takesWalk() bool {
	switch f.s.cfg.tune.ways {
	case waysWalk:
		return true
	case waysGather:
		return false
	}
	return f.walkCost() < f.gatherCost()
}

// walkCost is how far a walk should have to go until the page is full.
func (f *finding) walkCost() int {
	return min(int(uint64(f.limit+1)*uint64(f.wholeWalk())/uint64(max(1, f.count))), f.wholeWalk())
}

// wholeWalk is how far it is from one end of the order to the other.
func (f *finding) wholeWalk() int {
	switch {
	case !f.past:
		return int(f.t.live)
	case f.q.Order.IsDefault():
		return pinSteps * int(f.t.ever)
	}
	return int(f.t.documents) + memberSteps*f.count
}

func (f *finding) gatherCost() int {
	if f.q.Order.IsDefault() && len(f.ranges) == 0 {
		return memberSteps * f.count
	}
	return documentSteps * f.count
}

// walk walks the order until the page is full; done is false where it took too many steps.
func (f *finding) walk() (done bool, err error) {
	if f.left != maxSteps {
		f.left = f.s.cfg.tune.steps(walkOver*f.walkCost() + walkAnyway)
	}
	f.spent = false
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
func (f *finding) walkField() error {
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
func (f *finding) takeRows(rows stream, tested, missing bool) (done bool, err error) {
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
			return true, damaged("index: an entry of it has no document")
		}
		if tested {
			f.left -= documentSteps
			matches, err := f.q.Conditions.Match(d.fields)
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
func (f *finding) documentsAt() uint64 {
	if f.past {
		return f.t.release
	}
	return maxRelease
}

// walkHead walks the default order of what is live now.
func (f *finding) walkHead() error {
	it, err := f.r.iterator(walking)
	if err != nil {
		return err
	}
	start := f.meta.gen.collection(nil, tableHead, f.c)
	from := start
	if f.after != nil {
		from = successor(f.meta.gen.head(nil, f.c, f.after.rank, f.after.entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if !f.step() {
			return f.stopped()
		}
		n, err := entryNumberIn(it)
		if err != nil {
			return err
		}
		if f.matched != nil && !f.matched.has(n, f.chunkBits) {
			continue
		}
		s, err := spotIn(it.Key()[len(start):])
		if err != nil {
			return err
		}
		if full, err := f.meet(&s); err != nil || full {
			return err
		}
	}
	return it.Error()
}

// meet adds an entry of the default order that all filters match whose sets are known, if the others match too; full where the
// page takes no more.
func (f *finding) meet(s *spot) (full bool, err error) {
	if f.more = len(f.ranges) == 0 && f.full(); f.more {
		return true, nil
	}
	d, live, err := f.r.listed(f.c, s, f.listedAt())
	if err != nil {
		return false, err
	}
	if !live {
		return false, damaged("index: a live entry has no document")
	}
	if len(f.ranges) > 0 {
		f.left -= documentSteps / 2 // neighbours lie together
		matches, err := f.q.Conditions.Match(d.fields)
		if err != nil || !matches {
			return false, err
		}
		if f.more = f.full(); f.more {
			return true, nil
		}
	}
	f.add(s, &d)
	return false, nil
}

func (f *finding) listedAt() uint64 {
	if f.past {
		return f.q.Pin
	}
	return maxRelease
}

// walkPin walks the default order of a pin.
func (f *finding) walkPin() error {
	w := pinWalk{
		listing: f.listing, pin: f.q.Pin, arranged: f.place.ranked.Load(), greatest: f.t.greatest, budget: min(f.left/pinSteps, 1<<31), find: f,
	}
	done, err := w.run()
	f.spent = f.spent || !done
	return err
}

// visitPin looks at an entry in the walk of a pin.
func (f *finding) visitPin(s *spot) (full bool, err error) {
	if err := f.ctx.Err(); err != nil {
		return false, err
	}
	if f.matched != nil {
		now, _, err := f.r.state(counted, f.c, s.entry, f.q.Pin)
		if err != nil || !now.live || !f.matched.has(now.document, f.chunkBits) {
			return false, err
		}
		return f.meet(s)
	}
	_, live, err := f.r.listed(f.c, s, f.q.Pin)
	if err != nil || !live {
		return false, err
	}
	return f.meet(s)
}
