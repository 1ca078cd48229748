package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"

	"svc/shared/search"
)

// Op says which of two texts has the text of a segment.
type Op string

// The operations of segments (interface, "Diff item").
const (
	OpEqual  Op = "equal"
	OpInsert Op = "insert"
	OpDelete Op = "delete"
)

// Segment is a run of a text that both sides have, or only one.
type Segment struct {
	Op    Op     `json:"op"`
	Value string `json:"value"`
}

// Segments compares two texts by word (interface, "Diff item"): the values of equal and delete make up before, byte for byte, those
// of equal and insert after. Between two equal segments stand at most one delete and then one insert. Words are those of Unicode
// text segmentation (UAX 29), spaces and punctuation being words of their own; in Chinese, Japanese and Korean each character is one.
func Segments(before, after string) []Segment { return segments(before, after, false) }

// segments is Segments; coarse ones have equal text at the beginning and the end alone.
func segments(before, after string, coarse bool) []Segment {
	was, is := tokens(before), tokens(after)
	a, b, count := number(was, is)
	deleted, inserted := align(a, b, count, coarse)
	var all []Segment
	for i, j := 0, 0; i < len(was) || j < len(is); {
		all = appendRun(all, OpDelete, was, &i, func() bool { return deleted[i] })
		all = appendRun(all, OpInsert, is, &j, func() bool { return inserted[j] })
		from := i
		all = appendRun(all, OpEqual, was, &i, func() bool { return !deleted[i] && !inserted[j+i-from] })
		j += i - from
	}
	return all
}

// appendRun appends the tokens from *at on for which member holds as one segment, and moves *at behind them.
func appendRun(all []Segment, op Op, tokens []string, at *int, member func() bool) []Segment {
	from := *at
	for *at < len(tokens) && member() {
		*at++
	}
	if *at == from {
		return all
	}
	return append(all, Segment{op, strings.Join(tokens[from:*at], "")})
}

// number gives equal tokens of both texts equal numbers, below count.
func number(was, is []string) (a, b []int, count int) {
	numbers := make(map[string]int, len(was))
	of := func(tokens []string) []int {
		all := make([]int, len(tokens))
		for i, token := range tokens {
			n, known := numbers[token]
			if !known {
				n = len(numbers)
				numbers[token] = n
			}
			all[i] = n
		}
		return all
	}
	a, b = of(was), of(is)
	return a, b, len(numbers)
}

// tokens splits a text into words and what stands between them.
func tokens(text string) []string {
	var all []string
	for segments := words.FromString(text); segments.Next(); {
		all = appendTokens(all, segments.Value())
	}
	return all
}

// appendTokens appends a segment of UAX 29, split at characters that are words of their own, with their marks.
func appendTokens(all []string, segment string) []string {
	if strings.IndexFunc(segment, search.IsCharacter) < 0 {
		return append(all, segment)
	}
	start := 0 // of what is not split
	for clusters := graphemes.FromString(segment); clusters.Next(); {
		if r, _ := utf8.DecodeRuneInString(clusters.Value()); search.IsCharacter(r) {
			if start < clusters.Start() {
				all = append(all, segment[start:clusters.Start()])
			}
			all, start = append(all, clusters.Value()), clusters.End()
		}
	}
	if start < len(segment) {
		all = append(all, segment[start:])
	}
	return all
}
