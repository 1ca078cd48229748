package search

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/shared/fault"
)

// Bounds of a query.
const (
	maxClauses = 32
	maxTerms   = 128 // in all of its clauses
)

// Query is what q asks for: all clauses must hold. One without clauses matches everything.
type Query struct {
	Clauses []Clause
}

// Clause is a word or a phrase that a text must have, or that no text may have.
type Clause struct {
	Exclude bool
	Terms   []Term
}

// Term is a term of a phrase, with its distance from the first.
type Term struct {
	Text   string
	Offset int
}

// Parse reads q: words, phrases in quotation marks, and either of them after "-" to exclude it. A quotation mark that is
// not closed closes at the end, and what has no letters or digits asks for nothing. VALIDATION_FAILED for more than 32
// words and phrases.
func Parse(q string) (Query, error) {
	var query Query
	terms := 0
	for rest := q; ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			return query, nil
		}
		text, exclude := strings.TrimLeft(rest, "-"), rest[0] == '-'
		var clause Clause
		clause.Terms, rest = next(text)
		clause.Exclude = exclude
		if len(clause.Terms) == 0 {
			continue
		}
		query.Clauses = append(query.Clauses, clause)
		if terms += len(clause.Terms); len(query.Clauses) > maxClauses || terms > maxTerms {
			return Query{}, fault.Invalid("q", "may have at most %d words and phrases, and %d words in all", maxClauses, maxTerms)
		}
	}
}

// Text tells queries apart for cursors: equal for those that ask for the same clauses in the same order, and empty without any.
func (q Query) Text() string {
	var b []byte
	for _, c := range q.Clauses {
		sign := byte('+')
		if c.Exclude {
			sign = '-'
		}
		b = binary.AppendUvarint(append(b, sign), uint64(len(c.Terms)))
		for _, t := range c.Terms {
			b = binary.AppendUvarint(b, uint64(t.Offset))
			b = append(binary.AppendUvarint(b, uint64(len(t.Text))), t.Text...)
		}
	}
	return string(b)
}

// next reads a word or a phrase, and returns its terms and what comes after it.
func next(text string) (terms []Term, rest string) {
	if r, size := utf8.DecodeRuneInString(text); isQuote(r) {
		text = text[size:]
		end := strings.IndexFunc(text, isQuote)
		if end < 0 {
			return phrase(text), ""
		}
		_, size = utf8.DecodeRuneInString(text[end:])
		return phrase(text[:end]), text[end+size:]
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) })
	if end < 0 {
		return phrase(text), ""
	}
	return phrase(text[:end]), text[end:]
}

func isQuote(r rune) bool { return strings.ContainsRune(`"“”„«»`, r) }

// phrase returns the terms of a phrase. A character that is in a pair is not a term of its own.
func phrase(text string) []Term {
	var all []word
	for w := range split(text) {
		all = append(all, w)
	}
	var terms []Term
	for i, w := range all {
		switch {
		case w.joined:
			terms = append(terms, Term{all[i-1].term + w.term, w.position - 1})
		case i+1 == len(all) || !all[i+1].joined:
			terms = append(terms, Term{w.term, w.position})
		}
	}
	return terms
}
