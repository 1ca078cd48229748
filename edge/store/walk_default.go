package store

import (
	"bytes"

	"svc/edge/store/layout"
)

// walkHead walks the default order of what is live now.
func (f *execution) walkHead() error {
	it, err := f.r.iterator(walking)
	if err != nil {
		return err
	}
	start := f.meta.gen.Collection(nil, layout.TableHead, f.c)
	from := start
	if f.after != nil {
		from = layout.Successor(f.meta.gen.Head(nil, f.c, f.after.Rank, f.after.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if !f.step() {
			return f.stopped()
		}
		n, err := layout.EntryNumberIn(it)
		if err != nil {
			return err
		}
		if f.matched != nil && !f.matched.Has(n) {
			continue
		}
		s, err := layout.HeadPosition(it.Key()[len(start):])
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
func (f *execution) meet(s *layout.Position) (full bool, err error) {
	if f.more = len(f.ranges) == 0 && f.full(); f.more {
		return true, nil
	}
	d, live, err := f.r.listed(f.c, s, f.listedAt())
	if err != nil {
		return false, err
	}
	if !live {
		return false, layout.Damaged("index: a live entry has no document")
	}
	if len(f.ranges) > 0 {
		f.left -= documentSteps / 2 // neighbours lie together
		matches, err := f.q.Conditions.Match(d.Fields)
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

func (f *execution) listedAt() uint64 {
	if f.past {
		return f.q.Pin
	}
	return layout.MaxRelease
}

// walkPin walks the default order of a pin.
func (f *execution) walkPin() error {
	w := pinWalk{
		listing: f.listing, pin: f.q.Pin, arranged: f.place.ranked.Load(), greatest: f.t.greatest, budget: min(f.left/pinSteps, 1<<31), find: f,
	}
	done, err := w.run()
	f.spent = f.spent || !done
	return err
}

// visitPin looks at an entry in the walk of a pin.
func (f *execution) visitPin(s *layout.Position) (full bool, err error) {
	if err := f.ctx.Err(); err != nil {
		return false, err
	}
	if f.matched != nil {
		now, _, err := f.r.state(counted, f.c, s.Entry, f.q.Pin)
		if err != nil || !now.Live || !f.matched.Has(now.Document) {
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
