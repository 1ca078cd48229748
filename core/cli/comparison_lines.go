package cli

import (
	"slices"
	"strings"

	"svc/core/wire"
)

// maxEdits is how many lines may be deleted and inserted, at most, for lines to be aligned: time and memory go with its square.
const maxEdits = 2000

// byLine compares by line what is deleted and inserted in one place, where both are long: the service compares texts by word, but of
// very long ones only the beginning and the end.
func byLine(segments []wire.Segment) (all []wire.Segment) {
	long := func(s wire.Segment, op string) bool { return s.Op == op && strings.Count(s.Value, "\n") > maxLines }
	for n, s := range segments {
		switch {
		case long(s, "delete") && n+1 < len(segments) && long(segments[n+1], "insert"):
			all = append(all, lineSegments(strings.SplitAfter(s.Value, "\n"), strings.SplitAfter(segments[n+1].Value, "\n"))...)
		case long(s, "insert") && n > 0 && long(segments[n-1], "delete"):
		default:
			all = append(all, s)
		}
	}
	return all
}

// lineSegments compares lines, which have their line breaks, with as few deleted and inserted as can be. Where those are more than
// maxEdits, only the first and the last lines that both have are equal.
func lineSegments(was, is []string) (all []wire.Segment) {
	add := func(op string, lines []string) {
		if len(lines) > 0 {
			all = append(all, wire.Segment{Op: op, Value: strings.Join(lines, "")})
		}
	}
	deleted, inserted := differing(was, is)
	for len(was)+len(is) > 0 {
		gone, added := leading(deleted, true), leading(inserted, true)
		same := min(leading(deleted[gone:], false), leading(inserted[added:], false))
		add("delete", was[:gone])
		add("insert", is[:added])
		add("equal", was[gone:gone+same])
		was, deleted, is, inserted = was[gone+same:], deleted[gone+same:], is[added+same:], inserted[added+same:]
	}
	return all
}

// leading is how many flags are like this at the beginning.
func leading(flags []bool, like bool) int {
	if n := slices.Index(flags, !like); n >= 0 {
		return n
	}
	return len(flags)
}

// differing tells which lines only one side has.
func differing(was, is []string) (deleted, inserted []bool) {
	deleted, inserted = make([]bool, len(was)), make([]bool, len(is))
	first := commonPrefix(was, is)
	last := 0
	for shorter := min(len(was), len(is)) - first; last < shorter && was[len(was)-1-last] == is[len(is)-1-last]; {
		last++
	}
	markEdits(was[first:len(was)-last], is[first:len(is)-last], deleted[first:], inserted[first:])
	return deleted, inserted
}

// commonPrefix is how many elements two sequences begin with alike.
func commonPrefix[T comparable](a, b []T) int {
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			return n
		}
	}
	return min(len(a), len(b))
}

// markEdits marks the fewest lines to delete and to insert, after E. W. Myers, "An O(ND) Difference Algorithm and Its Variations"
// (1986), section 4, or all of them where there are more than maxEdits.
func markEdits(was, is []string, deleted, inserted []bool) {
	var farthest [][]int // [d][n] is how far in was d edits come of which n delete a line
	for d := 0; d <= maxEdits; d++ {
		row := make([]int, d+1)
		for n := range row {
			x := 0
			if d > 0 {
				x, _ = step(farthest[d-1], n)
			}
			y := x + d - 2*n
			x += commonPrefix(was[min(x, len(was)):], is[min(y, len(is)):])
			if row[n] = x; x >= len(was) && x+d-2*n >= len(is) {
				markPath(farthest, n, deleted, inserted)
				return
			}
		}
		farthest = append(farthest, row)
	}
	for n := range was {
		deleted[n] = true
	}
	for n := range is {
		inserted[n] = true
	}
}

// step is how far in was one more edit comes, after which n of them delete a line, and whether this one does. Row is those before.
func step(row []int, n int) (x int, deletes bool) {
	if n == 0 || n < len(row) && row[n-1] < row[n] {
		return row[n], false
	}
	return row[n-1] + 1, true
}

// markPath marks the edits that have led to the end, of which n delete a line.
func markPath(farthest [][]int, n int, deleted, inserted []bool) {
	for d := len(farthest); d > 0; d-- {
		x, deletes := step(farthest[d-1], n)
		if deletes {
			deleted[x-1] = true
			n--
		} else {
			inserted[x+d-2*n-1] = true
		}
	}
}
