package column

import (
	"cmp"
	"slices"
	"sort"
)

// Walk goes through the documents in an interval in an order, behind a place.
type Walk struct {
	v       *Values
	order   Order
	parts   [2]part // those read from the index, and later ones
	heads   [2]uint32
	has     [2]bool
	began   bool
	missing *Walk // what comes without a value behind a descending walk; nil: nothing
}

// Walk begins a walk.
func (v *Values) Walk(o Order, in Interval, behind *Place) *Walk {
	w := &Walk{v: v, order: o}
	if o == Descending {
		if in.To > Missing {
			w.missing = v.Walk(Ascending, Interval{Missing, in.To}, afterMissing(behind))
			in.To = Missing
		}
		if behind != nil && behind.Rank == Missing {
			return cmp.Or(w.missing, w) // which has nothing left
		}
	}
	for i, documents := range [][]uint32{v.sorted, v.late} {
		w.parts[i] = v.part(documents, o, in, behind)
	}
	return w
}

// afterMissing is the place behind which the documents without a value go on.
func afterMissing(behind *Place) *Place {
	if behind != nil && behind.Rank == Missing {
		return behind
	}
	return nil
}

// Next returns the document that follows; false at the end.
func (w *Walk) Next() (document uint32, ok bool) {
	if !w.began {
		w.began = true
		for i := range w.parts {
			w.heads[i], w.has[i] = w.parts[i].next()
		}
	}
	first := 0
	if w.has[1] && (!w.has[0] || w.v.Compare(w.order, w.heads[1], w.heads[0]) < 0) {
		first = 1
	}
	if !w.has[first] {
		if w.missing == nil {
			return 0, false
		}
		return w.missing.Next()
	}
	document = w.heads[first]
	w.heads[first], w.has[first] = w.parts[first].next()
	return document, true
}

// part goes through documents that lie by rank and entry.
type part struct {
	v         *Values
	documents []uint32
	order     Order
	from, to  int // what is left
	group     int // of a descending part: what is left of the documents with one value lies between this and end
	end       int
}

func (v *Values) part(documents []uint32, o Order, in Interval, behind *Place) part {
	p := part{v: v, documents: documents, order: o}
	p.from, p.to = v.span(documents, in)
	if behind == nil {
		return p
	}
	switch o {
	case Ascending:
		p.from += sort.Search(p.to-p.from, func(i int) bool { return v.Behind(o, documents[p.from+i], behind) })
	case Newest:
		p.to = p.from + sort.Search(p.to-p.from, func(i int) bool { return !v.Behind(o, documents[p.from+i], behind) })
	case Descending:
		from, to := v.span(documents, Interval{max(in.From, behind.Rank), min(in.To, behind.Rank+1)})
		p.group = from + sort.Search(max(0, to-from), func(i int) bool { return v.Behind(o, documents[from+i], behind) })
		p.end, p.to = max(from, to), min(p.to, from)
	}
	return p
}

func (p *part) next() (uint32, bool) {
	switch p.order {
	case Ascending:
		if p.from < p.to {
			p.from++
			return p.documents[p.from-1], true
		}
	case Newest:
		if p.from < p.to {
			p.to--
			return p.documents[p.to], true
		}
	case Descending:
		if p.group >= p.end && p.from < p.to {
			p.end, p.group = p.to, p.to-1
			if rank := p.v.Rank(p.documents[p.group]); p.group > p.from && p.v.Rank(p.documents[p.group-1]) == rank {
				p.group, _ = p.v.span(p.documents[p.from:p.end], Interval{rank, Missing})
				p.group += p.from
			}
			p.to = p.group
		}
		if p.group < p.end {
			p.group++
			return p.documents[p.group-1], true
		}
	}
	return 0, false
}

// Top is the first documents of those that were offered, in order.
type Top struct {
	V      *Values
	Order  Order
	Behind *Place // nil: all
	Limit  int
	First  []uint32
	More   bool // others follow
}

// Offer takes a document if it is one of the first.
func (t *Top) Offer(document uint32) {
	n := len(t.First)
	if n == t.Limit && t.V.Compare(t.Order, document, t.First[n-1]) >= 0 {
		t.More = t.More || t.V.Behind(t.Order, document, t.Behind)
		return
	}
	if !t.V.Behind(t.Order, document, t.Behind) {
		return
	}
	if n == t.Limit {
		t.First, t.More = t.First[:n-1], true
	}
	at, _ := slices.BinarySearchFunc(t.First, document, func(have, document uint32) int { return t.V.Compare(t.Order, have, document) })
	t.First = slices.Insert(t.First, at, document)
}
