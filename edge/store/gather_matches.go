package store

import (
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/read"
)

// gather looks at every match and keeps the first ones in order.
func (f *execution) gather() error {
	if f.count > heavyMatches {
		if err := f.beHeavy(); err != nil {
			return err
		}
	}
	if f.matched == nil {
		all := f.newNumbers()
		if err := f.readAll(&all); err != nil {
			return err
		}
		f.matched = &all
	}
	ranks, err := f.ranks()
	if err != nil {
		return err
	}
	if f.q.Order.IsDefault() && len(f.ranges) == 0 {
		return f.gatherSpots(ranks)
	}
	page, err := read.Scan(f.q, false, func(yield func(*read.Row) bool) error {
		return f.eachMatch(func(n uint32) (bool, error) {
			e, d, err := f.documentOf(n)
			if err != nil {
				return false, err
			}
			row := f.r.rowOf(e, &d)
			rank := ranks[e]
			row.Key = read.Key{Missing: rank == "", Value: rank, Entry: row.Entry}
			return yield(&row), nil
		})
	})
	f.scanned = &page
	return err
}

// ranks returns the ranks of a collection where the list is in the default order.
func (f *execution) ranks() (map[layout.EntryID]string, error) {
	if !f.q.Order.IsDefault() || !f.place.ranked.Load() {
		return nil, nil
	}
	return f.r.allRanks(f.c)
}

// eachMatch calls do with every match, until it is false or the request ends.
func (f *execution) eachMatch(do func(n uint32) (bool, error)) error {
	seen := 0
	return f.matched.Each(func(n uint32) (bool, error) {
		if seen++; seen&0xff == 0 && f.ctx.Err() != nil {
			return false, f.ctx.Err()
		}
		return do(n)
	})
}

// gatherSpots selects by the default order, for which no document is needed.
func (f *execution) gatherSpots(ranks map[layout.EntryID]string) error {
	chosen := selection{hits: f.r.hits[:0], want: f.limit + 1}
	err := f.eachMatch(func(n uint32) (bool, error) {
		e, _, err := f.entryOf(n)
		if err != nil {
			return false, err
		}
		s := layout.Position{Entry: e, Rank: ranks[e]}
		if f.after == nil || f.after.Compare(&s) < 0 {
			chosen.offer(s)
		}
		return true, nil
	})
	f.r.hits = chosen.hits
	if err != nil {
		return err
	}
	for _, s := range chosen.sorted() {
		if f.more = f.full(); f.more {
			return nil
		}
		if err := f.take(&s, f.listedAt()); err != nil {
			return err
		}
	}
	return nil
}

// rowOf is a document as a row whose fields last until the iterator of documents moves.
func (r *reader) rowOf(e layout.EntryID, d *layout.Document) read.Row {
	r.text = content.AppendText[content.EntryID](r.text[:0], e)
	r.text = content.AppendText[content.RevisionID](r.text, d.Revision)
	r.text = append(r.text, d.Slug...)
	row := read.Row{PublishedAt: d.Published, SchemaVersion: d.Version, Fields: d.Fields}
	cutTexts(&row, string(r.text), len(d.Slug))
	return row
}
