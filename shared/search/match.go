package search

import (
	"iter"
	"slices"
	"strings"
)

// Match reports whether the texts of an entry match the query.
func (q Query) Match(texts iter.Seq[string]) bool {
	if len(q.Clauses) == 0 {
		return true
	}
	positions := map[pair][]int{} // of the terms in one text
	for _, c := range q.Clauses {
		for _, t := range c.Terms {
			positions[pair{t.First, t.Second}] = nil
		}
	}
	found := make([]bool, len(q.Clauses))
	for text := range texts {
		text = fold(text)
		if !slices.ContainsFunc(q.Clauses, func(c Clause) bool { return c.mayBeIn(text) }) {
			continue // most texts, at a fraction of what it takes to cut them into words
		}
		for term := range positions {
			positions[term] = positions[term][:0]
		}
		last := ""
		note := func(term pair, position int) {
			if at, wanted := positions[term]; wanted {
				positions[term] = append(at, position)
			}
		}
		for w := range wordsOf(text) {
			note(pair{w.Text, ""}, w.Position)
			note(pair{last, w.Text}, w.Position-1)
			last = w.Text
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

// mayBeIn reports whether a folded text has all words of the clause somewhere in it, if only as parts of others.
func (c Clause) mayBeIn(folded string) bool {
	for word := range c.Words {
		if !strings.Contains(folded, word) {
			return false
		}
	}
	return true
}

// pair is a term as a text has it.
type pair struct{ first, second string }

// in reports whether a text has the phrase, whose terms stand at these ascending positions.
func (c Clause) in(positions map[pair][]int) bool {
	first := c.Terms[0]
	for _, start := range positions[pair{first.First, first.Second}] {
		if !slices.ContainsFunc(c.Terms[1:], func(t Term) bool {
			_, there := slices.BinarySearch(positions[pair{t.First, t.Second}], start+t.Offset)
			return !there
		}) {
			return true
		}
	}
	return false
}
