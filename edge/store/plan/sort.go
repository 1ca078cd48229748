package plan

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/shared/read"
	"svc/shared/search"
)

// sortMatches fetches every match and keeps the first ones in order.
func (x *execution) sortMatches() error {
	if x.count > expensiveSort {
		if err := x.takeSlot(); err != nil {
			return err
		}
	}
	if x.matched == nil {
		if err := x.startWithAll(); err != nil {
			return err
		}
	}
	ranks, err := x.ranks()
	if err != nil {
		return err
	}
	if x.sortsPositions() {
		return x.sortPositions(ranks)
	}
	q := *x.q
	if !x.tested {
		q.Search = search.Query{} // which all matches have, once their phrases were looked at
	}
	page, err := read.Scan(&q, false, func(yield func(*read.Row) bool) error {
		return x.eachMatch(func(n uint32) (bool, error) {
			e, d, err := x.r.DocumentOf(x.past, x.c, n)
			if err != nil {
				return false, err
			}
			if held, err := x.holdsPhrases(e, d.Release); err != nil || !held {
				return true, err
			}
			row := x.rankedRow(e, &d, ranks)
			return yield(&row), nil
		})
	})
	x.sorted = &page
	return err
}

// rankedRow is a row with its key in the default order. Its fields last until the iterator of documents moves.
func (x *execution) rankedRow(e layout.EntryID, d *layout.Document, ranks map[layout.EntryID]string) read.Row {
	row := x.r.RowOf(e, d)
	rank := ranks[e]
	row.Key = read.Key{Missing: rank == "", Value: rank, Entry: row.Entry}
	return row
}

// ranks returns the ranks of a collection where the list is in the default order.
func (x *execution) ranks() (map[layout.EntryID]string, error) {
	if !x.q.Order.IsDefault() || !x.collection.Ranked.Load() {
		return nil, nil
	}
	return x.r.AllRanks(x.c)
}

// eachMatch calls do with every match, until it is false or the request ends.
func (x *execution) eachMatch(do func(n uint32) (bool, error)) error {
	seen := 0
	for n := range roaring.Values(x.matched) {
		if seen++; seen&0xff == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if more, err := do(n); err != nil || !more {
			return err
		}
	}
	return nil
}

// sortPositions sorts by the default order, for which no document is needed.
func (x *execution) sortPositions(ranks map[layout.EntryID]string) error {
	var positions []layout.Position
	err := x.eachMatch(func(n uint32) (bool, error) {
		e, _, err := x.r.EntryOf(x.past, x.c, n)
		if err != nil {
			return false, err
		}
		s := layout.Position{Entry: e, Rank: ranks[e]}
		if x.after == nil || x.after.Compare(&s) < 0 {
			positions = append(positions, s)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(positions, func(a, b layout.Position) int { return a.Compare(&b) })
	for i := range positions {
		if full, err := x.visit(&positions[i], true); err != nil || full {
			return err
		}
	}
	return nil
}

// sortUnindexed makes a page of a list whose indexes are not built yet, or that searches: it looks at everything that was live.
func (x *execution) sortUnindexed() error {
	if err := x.takeSlot(); err != nil {
		return err
	}
	ranks, err := x.ranks()
	if err != nil {
		return err
	}
	release := x.q.Pin
	if release == 0 {
		release = layout.MaxRelease
	}
	page, err := read.Scan(x.q, false, func(yield func(*read.Row) bool) error {
		return x.r.EachEntry(x.ctx, x.c, func(e layout.EntryID, _ uint32) (bool, error) {
			d, live, err := x.r.Listed(x.c, &layout.Position{Entry: e}, release)
			if err != nil || !live {
				return err == nil, err
			}
			row := x.rankedRow(e, &d, ranks)
			return yield(&row), nil
		})
	})
	x.sorted = &page
	return err
}
