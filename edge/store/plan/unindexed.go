package plan

import (
	"svc/edge/store/layout"
	"svc/shared/read"
)

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

// sortUnindexed makes a page of a list whose indexes are not built yet: it looks at everything that was live.
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
			d, live, err := x.r.Document(x.c, e, release)
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
