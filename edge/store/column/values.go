package column

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"sort"

	"svc/edge/store/layout"
)

// Rank is where a value stands among all values of a field, at all times: greater values have greater ranks, equal ones the same.
type Rank uint64

// Missing is the rank of documents that have no value.
const Missing = Rank(missing) << 32

const missing = ^uint32(0)

// Values are the ranks of the values that documents have in one field, as a locale reads it. They are never changed.
type Values struct {
	*Documents
	every int // each so many'th of sorted has its key in keys

	// Of the documents that were read from the index: their ranks, twice the place of the first of them that has the value, and one; the
	// documents in order, by rank and then by the ids of their entries, those without a value last; how many have one.
	ranks  []uint32
	sorted []uint32
	valued int
	keys   [][]byte

	// Of those that came later, in the same order. A value that none of the others has stands before the first that is greater: its rank
	// is twice the place of that, and an even number in the lower half.
	late      []uint32
	lateRanks []Rank   // by document
	lateKeys  [][]byte // by document
}

// ReadKey reads the key of a document's value (value.KeyOf); false where it has none.
type ReadKey func(document uint32) (key []byte, has bool, err error)

// Ranked is how many documents have a rank: the first ones.
func (v *Values) Ranked() uint32 { return uint32(len(v.ranks) + len(v.lateRanks)) }

func (v *Values) covers() uint32 { return v.Ranked() }

func (v *Values) size() int64 {
	bytes := 8*cap(v.ranks) + 64*len(v.late)
	for _, key := range v.keys {
		bytes += 24 + len(key)
	}
	return int64(bytes)
}

// Rank returns the rank of a document's value.
func (v *Values) Rank(document uint32) Rank {
	if int(document) < len(v.ranks) {
		return Rank(v.ranks[document]) << 32
	}
	return v.lateRanks[int(document)-len(v.ranks)]
}

// Before returns the rank of a value that no document has, just before that of one.
func (r Rank) Before() Rank { return r - 1 }

// Find returns the rank of a value. One that no document has gets one between those of its neighbours. Only the first ever documents can
// be read.
func (v *Values) Find(key []byte, ever uint32, read ReadKey) (Rank, error) {
	at, equal, err := v.place(key, ever, read)
	if err != nil {
		return 0, err
	}
	if equal {
		return v.Rank(v.sorted[at]), nil
	}
	return v.between(at, key), nil
}

// place returns where the first document in sorted stands whose value is not less than a key, and whether it is equal.
func (v *Values) place(key []byte, ever uint32, read ReadKey) (at int, equal bool, err error) {
	sample, equal := slices.BinarySearchFunc(v.keys, key, bytes.Compare)
	if at = sample * v.every; equal {
		// Others with the value may stand before the sample.
		return int(v.ranks[v.sorted[at]] / 2), true, nil
	}
	var near []int // places of documents that can be read
	to := min(at, v.valued)
	for i := max(0, at-v.every+1); i < to; i++ {
		if v.sorted[i] < ever {
			near = append(near, i)
		}
	}
	found := sort.Search(len(near), func(i int) bool {
		if err != nil {
			return true
		}
		have, has, readErr := read(v.sorted[near[i]])
		if err = readErr; err == nil && !has {
			err = layout.Damaged("index: an entry does not have the value it is indexed under")
		}
		n := bytes.Compare(have, key)
		equal = equal || n == 0
		return n >= 0
	})
	if at = to; found < len(near) {
		at = near[found]
	}
	if at < v.valued {
		at = int(v.ranks[v.sorted[at]] / 2) // others with the value, which cannot be read, may stand before it
	}
	return at, equal, err
}

// between is the rank of a value that stands before a place in sorted, where only later documents may have it.
func (v *Values) between(at int, key []byte) Rank {
	rank := Rank(at) << 33
	i := sort.Search(len(v.late), func(i int) bool {
		document := v.late[i]
		r := v.Rank(document)
		return r > rank && (r>>32 != rank>>32 || bytes.Compare(v.lateKeys[int(document)-len(v.ranks)], key) >= 0)
	})
	if i < len(v.late) {
		document := v.late[i]
		if r := v.Rank(document); r>>32 == rank>>32 && bytes.Equal(v.lateKeys[int(document)-len(v.ranks)], key) {
			return r
		}
	}
	if i > 0 {
		if r := v.Rank(v.late[i-1]); r>>32 == rank>>32 {
			return r + 1
		}
	}
	return rank + 1
}

// Place is where a list goes on: behind an entry, of which it has one document.
type Place struct {
	Rank  Rank
	Entry layout.EntryID
}

// Place is that of a document.
func (v *Values) Place(document uint32) *Place {
	_, e := v.Entry(document)
	return &Place{v.Rank(document), e}
}

// Order is the order of a list.
type Order byte

// The orders. Equal values, and documents without any, which always come last, go by the ids of their entries.
const (
	Ascending Order = iota
	Descending
	// Newest goes by the ids of entries, backwards; no document has a value.
	Newest
)

// compare orders ranks; 0: entries decide.
func (o Order) compare(a, b Rank) int {
	if o == Descending && a < Missing && b < Missing {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// Compare orders two documents.
func (v *Values) Compare(o Order, a, b uint32) int {
	if o == Newest {
		return v.Documents.compare(b, a)
	}
	if n := o.compare(v.Rank(a), v.Rank(b)); n != 0 {
		return n
	}
	return v.Documents.compare(a, b)
}

// Behind reports whether a document stands behind a place; nil is in front of all.
func (v *Values) Behind(o Order, document uint32, p *Place) bool {
	if p == nil {
		return true
	}
	n := o.compare(v.Rank(document), p.Rank)
	if n == 0 {
		_, e := v.Entry(document)
		if n = bytes.Compare(e[:], p.Entry[:]); o == Newest {
			n = -n
		}
	}
	return n > 0
}

// Interval bounds ranks: those from From on and below To.
type Interval struct{ From, To Rank }

// Everything are all documents.
var Everything = Interval{0, ^Rank(0)}

// Holds reports whether a rank lies in the interval.
func (in Interval) Holds(r Rank) bool { return in.From <= r && r < in.To }

// Len is how many documents have a value in an interval.
func (v *Values) Len(in Interval) int {
	from, to := v.span(v.sorted, in)
	lateFrom, lateTo := v.span(v.late, in)
	return to - from + lateTo - lateFrom
}

// span returns which of some documents, which are in order, lie in an interval.
func (v *Values) span(documents []uint32, in Interval) (from, to int) {
	from = sort.Search(len(documents), func(i int) bool { return v.Rank(documents[i]) >= in.From })
	to = from + sort.Search(len(documents)-from, func(i int) bool { return v.Rank(documents[from+i]) >= in.To })
	return from, to
}

// Each yields the documents in an interval, in no order.
func (v *Values) Each(in Interval) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, documents := range [][]uint32{v.sorted, v.late} {
			from, to := v.span(documents, in)
			for _, document := range documents[from:to] {
				if !yield(document) {
					return
				}
			}
		}
	}
}
