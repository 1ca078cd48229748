package plan

import (
	"bytes"

	"svc/edge/store/column"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// plainHead fills the page of the most frequent list of all, everything that is live now: no set is needed, and no rank.
func (x *execution) plainHead() error {
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
		p, err := layout.HeadPosition(it.Key()[len(start):])
		if err != nil {
			return err
		}
		if full, err := x.add(&p); err != nil || full {
			return err
		}
	}
	return it.Error()
}

// byDefault fills the page of a list in the default order: what has a rank comes first, then the newest.
func (x *execution) byDefault() error {
	ranked := x.collection.Ranked.Load()
	var arranged *snapshot.Arrangement
	if ranked {
		var err error
		if arranged, err = x.moment.Changes.Arrangement(x.r, x.c, x.engine.costs.Arranged); err != nil {
			return err
		}
	}
	if ranked && (x.after == nil || x.after.Rank != "") {
		if full, err := x.byRank(arranged); err != nil || full {
			return err
		}
	}
	s := sequence{order: column.Newest, within: column.Everything}
	if x.after != nil && x.after.Rank == "" {
		s.behind = &column.Place{Rank: column.Missing, Entry: x.after.Entry}
	}
	var err error
	if s.by, err = x.newest(); err != nil {
		return err
	}
	return x.inOrder(s, func(document uint32) (bool, error) {
		n, e := x.documents.Entry(document)
		switch {
		case arranged != nil && arranged.Has(n):
			return false, nil
		case arranged == nil && ranked:
			if has, err := x.hasRank(e); err != nil || has {
				return err != nil, err
			}
		}
		return x.add(&layout.Position{Entry: e})
	})
}

func (x *execution) hasRank(e layout.EntryID) (bool, error) {
	it, err := x.r.Iterator(snapshot.Secondary)
	if err != nil {
		return false, err
	}
	rank, err := layout.RankOf(it, x.r.Generation, x.c, e)
	return rank != nil, err
}

// byRank adds what has a rank, and reports whether the page is full. The arrangement is nil where too many have one.
func (x *execution) byRank(arranged *snapshot.Arrangement) (full bool, err error) {
	if arranged == nil {
		return x.byStoredRank()
	}
	for i, a := range arranged.Behind(x.after) {
		if i&0xff == 0xff && x.ctx.Err() != nil {
			return false, x.ctx.Err()
		}
		if full, err := x.addRanked(&a.Position, a.Number); err != nil || full {
			return full, err
		}
	}
	return false, nil
}

func (x *execution) byStoredRank() (full bool, err error) {
	err = x.r.EachRanked(x.c, x.after, func(a snapshot.Arranged) (more bool, err error) {
		if x.steps++; x.steps&0xff == 0 && x.ctx.Err() != nil {
			return false, x.ctx.Err()
		}
		full, err = x.addRanked(&a.Position, a.Number)
		return !full, err
	})
	return full, err
}

// addRanked takes an entry of a number into the page if it matches.
func (x *execution) addRanked(p *layout.Position, n uint32) (full bool, err error) {
	document, ok := x.documents.Of(n, x.until)
	if !ok || !x.isMatch(document, nil) {
		return false, nil
	}
	return x.add(p)
}
