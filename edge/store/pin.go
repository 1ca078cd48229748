package store

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// pinWalk lists a pin by walking all entries that ever were, in the default order, and asking of each how it was at
// the pin. It goes well where most of them were live then.
type pinWalk struct {
	*listing
	pin      uint64
	greatest entryID // nothing above it had ever been by then
	hits     []hit
	budget   int // steps left
}

// walkBudget is how many steps a walk may take: about what gathering would cost, so that switching at worst doubles
// the work.
func walkBudget(want int, t touch) int { return 8*want + int(t.live/8) }

// run reports whether the page was filled, or the list ended, within the budget.
func (w *pinWalk) run() (done bool, err error) {
	if w.after == nil || w.after.rank != "" {
		if done, err = w.ranked(); err != nil || done {
			return done, err
		}
		if w.budget <= 0 {
			return false, nil
		}
	}
	return w.unranked()
}

func (w *pinWalk) full() bool { return len(w.hits) == w.want }

// ranked walks the arranged entries and reports whether the page is full.
func (w *pinWalk) ranked() (bool, error) {
	it, err := w.r.iterator(walking)
	if err != nil {
		return false, err
	}
	start := w.meta.gen.collection(nil, tableRanked, w.c)
	from := start
	if w.after != nil {
		from = successor(w.meta.gen.ranked(nil, w.c, w.after.rank, w.after.entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if w.budget--; w.budget <= 0 {
			return false, it.Error()
		}
		s, err := rankedIn(it.Key()[len(start):])
		if err != nil {
			return false, err
		}
		then, release, err := w.r.state(beside, w.c, s.entry, w.pin)
		if err != nil {
			return false, err
		}
		if !then.live {
			continue
		}
		if w.hits = append(w.hits, hit{spot: s, release: release}); w.full() {
			return true, nil
		}
	}
	return false, it.Error()
}

// unranked walks the entries that have no rank and reports whether it came to an end within the budget.
func (w *pinWalk) unranked() (bool, error) {
	it, err := w.r.iterator(walking)
	if err != nil {
		return false, err
	}
	byEntry, err := w.r.iterator(beside)
	if err != nil {
		return false, err
	}
	ranks := rankCursor{it: byEntry, g: w.meta.gen, c: w.c}
	g := w.meta.gen
	start := g.collection(nil, tableEntry, w.c)
	var ok bool
	if after := w.after; after != nil && after.rank == "" && bytes.Compare(after.entry[:], w.greatest[:]) <= 0 {
		ok = it.SeekGE(w.past(after.entry))
	} else {
		w.r.key = g.entryAt(w.r.key, tableEntry, w.c, w.greatest, w.pin)
		ok = it.SeekGE(w.r.key)
	}
	for ok && bytes.HasPrefix(it.Key(), start) {
		if w.budget--; w.budget <= 0 {
			return false, nil
		}
		e := entryIn(it.Key()[collectionLen:])
		release := releaseIn(it.Key())
		if release > w.pin {
			w.r.key = g.entryAt(w.r.key, tableEntry, w.c, e, w.pin)
			ok = it.SeekGE(w.r.key)
			continue
		}
		listed, err := w.listed(it, &ranks, e)
		if err != nil {
			return false, err
		}
		if listed {
			if w.hits = append(w.hits, hit{spot: spot{entry: e}, release: release}); w.full() {
				return true, nil
			}
		}
		if ok = it.Next(); ok && bytes.HasPrefix(it.Key(), start) && entryIn(it.Key()[collectionLen:]) == e {
			ok = it.SeekGE(w.past(e))
		}
	}
	return true, it.Error()
}

// listed reports whether the entry at whose row of the pin the iterator stands was live, and has no rank.
func (w *pinWalk) listed(it *pebble.Iterator, ranks *rankCursor, e entryID) (bool, error) {
	value, err := it.ValueAndErr()
	if err != nil || len(value) == 0 {
		return false, err
	}
	rank, err := ranks.of(e)
	return rank == nil, err
}

// past is a key behind all rows of an entry.
func (w *pinWalk) past(e entryID) []byte {
	w.r.key = successor(w.meta.gen.entryAt(w.r.key, tableEntry, w.c, e, 0))
	return w.r.key
}
