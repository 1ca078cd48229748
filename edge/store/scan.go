package store

import (
	"bytes"
	"context"

	"svc/edge/store/layout"
	"svc/shared/read"
)

// scan makes a page of a list whose indexes are not built yet: it looks at everything that was live.
func (l *listing) scan(ctx context.Context, q *read.ListQuery) (read.Page, error) {
	select {
	case l.s.scans <- struct{}{}:
	case <-ctx.Done():
		return read.Page{}, ctx.Err()
	}
	defer func() { <-l.s.scans }()
	ranks := map[layout.EntryID]string(nil)
	if q.Order.IsDefault() && l.place.ranked.Load() {
		var err error
		if ranks, err = l.r.allRanks(l.c); err != nil {
			return read.Page{}, err
		}
	}
	return read.Scan(q, false, func(yield func(*read.Row) bool) error {
		it, err := l.r.iterator(walking)
		if err != nil {
			return err
		}
		start := l.meta.gen.Collection(nil, layout.TableFirst, l.c)
		seen := 0
		for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
			if seen++; seen&0xff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			s := layout.Position{Entry: layout.EntryIn(it.Key()[layout.CollectionLen:])}
			d, live, err := l.r.listed(l.c, &s, at(q.Pin))
			if err != nil {
				return err
			}
			if !live {
				continue
			}
			row := l.r.rowOf(s.Entry, &d)
			rank := ranks[s.Entry]
			row.Key = read.Key{Missing: rank == "", Value: rank, Entry: row.Entry}
			if !yield(&row) {
				return nil
			}
		}
		return it.Error()
	})
}
