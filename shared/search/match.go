package search

import (
	"iter"
	"slices"
)

// Match reports whether the texts of an entry match the query.
func (q Query) Match(texts iter.Seq[string]) bool {
	if len(q.Clauses) == 0 {
		return true
	}
	wanted := map[string]bool{}
	for _, c := range q.Clauses {
		for _, t := range c.Terms {
			wanted[t.Text] = true
		}
	}
	found := make([]bool, len(q.Clauses))
	for text := range texts {
		positions := map[string][]int{}
		for term, position := range Terms(text) {
			if wanted[term] {
				positions[term] = append(positions[term], position)
			}
		}
		for i, c := range q.Clauses {
			found[i] = found[i] || c.in(positions)
		}
	}
	for i, c := range q.Clauses {
		if found[i] == c.Exclude {
			return false
		}
	}
	return true
}

// in reports whether a text has the phrase, whose terms stand at these ascending positions.
func (c Clause) in(positions map[string][]int) bool {
	first := c.Terms[0]
	for _, start := range positions[first.Text] {
		if !slices.ContainsFunc(c.Terms[1:], func(t Term) bool {
			_, there := slices.BinarySearch(positions[t.Text], start+t.Offset-first.Offset)
			return !there
		}) {
			return true
		}
	}
	return false
}
