package plan

import (
	"bytes"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// scanHead scans the default order of what is live now.
func (x *execution) scanHead() error {
	it, err := x.r.Iterator(snapshot.Primary)
	if err != nil {
		return err
	}
	start := x.r.Generation.Collection(nil, layout.TableHead, x.c)
	from := start
	if x.after != nil {
		from = layout.Successor(x.r.Generation.Head(nil, x.c, x.after.Rank, x.after.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if !x.step(1) {
			return x.stopped()
		}
		if x.matched != nil {
			n, err := layout.EntryNumberIn(it)
			if err != nil {
				return err
			}
			if !x.matched.Contains(n) {
				continue
			}
		}
		s, err := layout.HeadPosition(it.Key()[len(start):])
		if err != nil {
			return err
		}
		if full, err := x.visit(&s, true); err != nil || full {
			return err
		}
	}
	return it.Error()
}

// visit adds an entry of the default order, which all sets match, if it is live and the ranges match it too; full where the
// page takes no more.
func (x *execution) visit(s *layout.Position, isLive bool) (full bool, err error) {
	if x.page.More = isLive && x.isCertain() && x.full(); x.page.More {
		return true, nil
	}
	d, live, err := x.r.Listed(x.c, s, x.listedAt())
	if err != nil {
		return false, err
	}
	if !live {
		if isLive {
			err = layout.Damaged("index: a live entry has no document")
		}
		return false, err
	}
	if !x.isCertain() {
		x.left -= documentSteps / 2 // neighbours lie together
		matches, err := x.holds(s.Entry, &d)
		if err != nil || !matches {
			return false, err
		}
	}
	if x.page.More = x.full(); x.page.More {
		return true, nil
	}
	x.page.Add(s, &d)
	return false, nil
}

// listedAt is the release at which lists look for documents.
func (x *execution) listedAt() uint64 {
	if x.past {
		return x.q.Pin
	}
	return layout.MaxRelease
}
