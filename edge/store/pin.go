package store

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// pinWalk lists a pin by walking all entries that ever were, in the default order, and looking for the document that
// each had at the pin. It goes well where most of them were live then.
type pinWalk struct {
	*listing
	pin      uint64
	greatest layout.EntryID // nothing above it had ever been by then
	budget   int            // steps left
	arranged bool           // entries have ranks
	find     *execution     // what tells which entries belong to the list; nil: all do
}

// walkBudget is how many steps a walk may take: about what gathering would cost, so that switching at worst doubles
// the work.
func walkBudget(limit int, t lastChange) int { return 8*(limit+1) + int(t.live/8) }

// run reports whether the page was filled, or the list ended, within the budget.
func (w *pinWalk) run() (done bool, err error) {
	if w.arranged && (w.after == nil || w.after.Rank != "") {
		if done, err = w.ranked(); err != nil || done {
			return done, err
		}
	}
	if w.budget <= 0 {
		return false, nil
	}
	return w.unranked()
}

// visit adds an entry if it was live at the pin, and reports whether the page is full.
func (w *pinWalk) visit(s *layout.Position) (full bool, err error) {
	if w.find != nil {
		return w.find.visitPin(s)
	}
	d, live, err := w.r.listed(w.c, s, w.pin)
	if err != nil || !live {
		return false, err
	}
	if w.more = w.full(); w.more {
		return true, nil
	}
	w.add(s, &d)
	return false, nil
}

// ranked walks the arranged entries and reports whether the page is full.
func (w *pinWalk) ranked() (full bool, err error) {
	it, err := w.r.iterator(walking)
	if err != nil {
		return false, err
	}
	start := w.meta.gen.Collection(nil, layout.TableRanked, w.c)
	from := start
	if w.after != nil {
		from = layout.Successor(w.meta.gen.Ranked(nil, w.c, w.after.Rank, w.after.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if w.budget--; w.budget <= 0 {
			return false, nil
		}
		s, err := layout.RankedPosition(it.Key()[len(start):])
		if err != nil {
			return false, err
		}
		if full, err := w.visit(&s); err != nil || full {
			return full, err
		}
	}
	return false, it.Error()
}

// unranked walks the entries that have no rank and reports whether it came to an end within the budget.
func (w *pinWalk) unranked() (done bool, err error) {
	it, err := w.r.iterator(walking)
	if err != nil {
		return false, err
	}
	var ranked *pebble.Iterator
	if w.arranged {
		if ranked, err = w.r.iterator(beside); err != nil {
			return false, err
		}
	}
	ranks := layout.NewRankCursor(ranked, w.meta.gen, w.c)
	start := w.meta.gen.Collection(nil, layout.TableFirst, w.c)
	for ok := it.SeekGE(w.from()); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if w.budget--; w.budget <= 0 {
			return false, nil
		}
		s := layout.Position{Entry: layout.EntryIn(it.Key()[layout.CollectionLen:])}
		passed, err := w.passes(it, &ranks, s.Entry)
		if err != nil {
			return false, err
		}
		if passed {
			continue
		}
		if full, err := w.visit(&s); err != nil || full {
			return full, err
		}
	}
	return true, it.Error()
}

// from is where the walk over unarranged entries begins.
func (w *pinWalk) from() []byte {
	if after := w.after; after != nil && after.Rank == "" && bytes.Compare(after.Entry[:], w.greatest[:]) <= 0 {
		return layout.Successor(w.meta.gen.Entry(nil, layout.TableFirst, w.c, after.Entry))
	}
	return w.meta.gen.Entry(nil, layout.TableFirst, w.c, w.greatest)
}

// passes reports whether the entry at which the iterator stands cannot belong here: it was first published after the
// pin, or it has a rank.
func (w *pinWalk) passes(it *pebble.Iterator, ranks *layout.RankCursor, e layout.EntryID) (bool, error) {
	first, _, err := layout.FirstIn(it)
	if err != nil || first > w.pin {
		return true, err
	}
	rank, err := ranks.Rank(e)
	return rank != nil, err
}
