package e2e

import (
	"net/url"
	"slices"
	"strconv"
)

// drawWay draws how a list is asked for: in half of the walks without filters and in the arranged order.
func (r *stroller) drawWay() way {
	w := way{least: gone}
	if r.random.IntN(2) == 0 {
		return w
	}
	w.order = r.random.IntN(3) - 1
	if w.order == 0 || r.random.IntN(2) == 0 {
		w.least = r.random.IntN(2_000)
	}
	return w
}

func (w way) ask(query url.Values) {
	if w.least > gone {
		query.Set("filter[rating][gte]", strconv.Itoa(w.least))
	}
	switch w.order {
	case 1:
		query.Set("order", "rating")
	case -1:
		query.Set("order", "-rating")
	}
}

// placed tells whether an entry has one place in all that a walk saw: a list in the order of ratings moves what gets another
// one, the arranged order what editors move.
func (l *landings) placed(w walked, id string) bool {
	if w.way.order == 0 {
		return !l.movers[id]
	}
	return l.keeps(id, w.first, w.last)
}

// comes is the order of a walk, of entries that have a place.
func (l *landings) comes(w walked, a, b string) bool {
	if w.way.order == 0 {
		return l.precedes(a, b)
	}
	x, y := w.way.order*l.at(a, w.last), w.way.order*l.at(b, w.last)
	return x < y || x == y && a < b
}

// met tells whether an entry that has a place must have been met once: it was asked for at all releases that the walk saw.
func (l *landings) met(w walked, id string) bool {
	if w.way.least > gone && !(l.keeps(id, w.first, w.last) && l.at(id, w.first) >= w.way.least) {
		return false
	}
	return l.stays(id, w.first, w.last)
}

// keeps tells whether an entry has one rating, or none, at all releases from one to another.
func (l *landings) keeps(id string, from, to uint64) bool {
	return !slices.ContainsFunc(l.lives[id], func(m moment) bool { return from < m.release && m.release <= to })
}
