package diff

import "math"

// The search for the middle of an alignment ends after a number of edits from either end; up to twice as many, the alignment is a
// longest one. Whatever the sequences are, all searches take time in proportion to that limit and to the length of both: the limit
// falls with the length, so that they take as long for longer ones, until it is the least.
const (
	limitTimes = 1 << 26 // the limit and the length of both sequences, multiplied
	leastLimit = 64
	// tooLong is from how many elements of both on only what they begin and end with is aligned.
	tooLong = 1 << 20
)

// align tells which elements of two sequences are not in an alignment of both, which is a longest one where they have few
// differences. Elements are numbers below count. A coarse one has what both begin and end with.
func align(a, b []int, count int, coarse bool) (deleted, inserted []bool) {
	deleted, inserted = make([]bool, len(a)), make([]bool, len(b))
	// What only one side has is in no alignment, and without it the search is shorter.
	x, y := common(a, b, count, deleted), common(b, a, count, inserted)
	size := len(x.values) + len(y.values) + 3
	m := aligner{x: x, y: y, deleted: deleted, inserted: inserted, limit: max(leastLimit, limitTimes/size)}
	if coarse || size > tooLong {
		m.limit = 0
	}
	m.ahead, m.back, m.zero = make([]int, size), make([]int, size), len(y.values)+1
	m.align(0, len(x.values), 0, len(y.values))
	return deleted, inserted
}

// sequence is a part of another one.
type sequence struct {
	values []int
	places []int // of the values in the other one
}

// common returns the elements of a that b has too, and marks the others.
func common(a, b []int, count int, unique []bool) sequence {
	known := make([]bool, count)
	for _, v := range b {
		known[v] = true
	}
	var s sequence
	for i, v := range a {
		if known[v] {
			s.values, s.places = append(s.values, v), append(s.places, i)
		} else {
			unique[i] = true
		}
	}
	return s
}

// aligner follows E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b: it finds the middle of a
// shortest path through the grid of both sequences from its two ends at once, and aligns the parts on both sides of it.
type aligner struct {
	x, y              sequence
	deleted, inserted []bool
	// ahead and back hold how far in x the searches from either end have come on each diagonal, x minus y, counted from zero.
	ahead, back []int
	zero        int
	limit       int // of edits from either end
}

// align aligns x[x0:x1] with y[y0:y1].
func (m *aligner) align(x0, x1, y0, y1 int) {
	for {
		for x0 < x1 && y0 < y1 && m.x.values[x0] == m.y.values[y0] {
			x0, y0 = x0+1, y0+1
		}
		for x0 < x1 && y0 < y1 && m.x.values[x1-1] == m.y.values[y1-1] {
			x1, y1 = x1-1, y1-1
		}
		if x0 == x1 || y0 == y1 || m.limit == 0 {
			break
		}
		x, y := m.middle(x0, x1, y0, y1)
		m.align(x0, x, y0, y)
		x0, y0 = x, y
	}
	for ; x0 < x1; x0++ {
		m.deleted[m.x.places[x0]] = true
	}
	for ; y0 < y1; y0++ {
		m.inserted[m.y.places[y0]] = true
	}
}

// middle returns a point on a shortest path, or on a good one where that is too far to search. The first elements differ, and the
// last ones.
func (m *aligner) middle(x0, x1, y0, y1 int) (x, y int) {
	lowest, highest := x0-y1, x1-y0 // diagonals in the grid
	first, last := x0-y0, x1-y1     // where the two searches begin
	aheadLow, aheadHigh, backLow, backHigh := first, first, last, last
	odd := (first-last)%2 != 0
	m.ahead[m.zero+first], m.back[m.zero+last] = x0, x1
	for edits := 1; ; edits++ {
		aheadLow, aheadHigh = widen(m.ahead, m.zero, aheadLow, aheadHigh, lowest, highest, math.MinInt)
		for k := aheadHigh; k >= aheadLow; k -= 2 {
			at := m.zero + k
			x := max(m.ahead[at-1]+1, m.ahead[at+1])
			for x < x1 && x-k < y1 && m.x.values[x] == m.y.values[x-k] {
				x++
			}
			m.ahead[at] = x
			if odd && backLow <= k && k <= backHigh && m.back[at] <= x {
				return x, x - k
			}
		}
		backLow, backHigh = widen(m.back, m.zero, backLow, backHigh, lowest, highest, math.MaxInt)
		for k := backHigh; k >= backLow; k -= 2 {
			at := m.zero + k
			x := min(m.back[at-1], m.back[at+1]-1)
			for x > x0 && x-k > y0 && m.x.values[x-1] == m.y.values[x-k-1] {
				x--
			}
			m.back[at] = x
			if !odd && aheadLow <= k && k <= aheadHigh && x <= m.ahead[at] {
				return x, x - k
			}
		}
		if edits >= m.limit {
			return m.farthest(x0, x1, y0, y1, aheadLow, aheadHigh, backLow, backHigh)
		}
	}
}

// widen moves the range of diagonals that are searched by one on both sides, or back by one where it would leave the grid, so that
// every other diagonal is in it. beyond is how far the diagonals outside of it have come: nowhere.
func widen(reached []int, zero, low, high, lowest, highest, beyond int) (int, int) {
	if low > lowest {
		low--
		reached[zero+low-1] = beyond
	} else {
		low++
	}
	if high < highest {
		high++
		reached[zero+high+1] = beyond
	} else {
		high--
	}
	return low, high
}

// farthest returns the point that is farthest from its end among all that the two searches have come to.
func (m *aligner) farthest(x0, x1, y0, y1, aheadLow, aheadHigh, backLow, backHigh int) (x, y int) {
	most := 0
	for k := aheadLow; k <= aheadHigh; k += 2 {
		at := min(m.ahead[m.zero+k], x1, y1+k)
		if way := at - x0 + at - k - y0; way > most {
			most, x, y = way, at, at-k
		}
	}
	for k := backLow; k <= backHigh; k += 2 {
		at := max(m.back[m.zero+k], x0, y0+k)
		if way := x1 - at + y1 - (at - k); way > most {
			most, x, y = way, at, at-k
		}
	}
	return x, y
}
