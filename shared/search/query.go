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

// IsTerm reports whether the clause is one word, or two characters.
func (c *Clause) IsTerm() bool {
	return len(c.Terms) == 1 && (c.Terms[0].Second == "" || c.Terms[0].Characters)
}

// Words yields the words of the clause in their order.
func (c *Clause) Words(yield func(word string) bool) {
	if !yield(c.Terms[0].First) {
		return
	}
	for _, t := range c.Terms {
		if t.Second != "" && !yield(t.Second) {
			return
		}
	}
}

// Term is a word, or two words of a phrase that follow each other. The terms of a phrase do so at their offsets from the first.
type Term struct {
	First, Second string // Second is empty where it is one word
	// Characters says that both are single characters of a script that is written without spaces.
	Characters bool
	Offset     int
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
			for _, word := range []string{t.First, t.Second} {
				b = append(binary.AppendUvarint(b, uint64(len(word))), word...)
			}
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

// phrase returns the terms of a word or a phrase: its words, where there are several in pairs.
func phrase(text string) []Term {
	var terms []Term
	var last Word
	for w := range Words(text) {
		switch w.Position {
		case 0:
			terms = append(terms, Term{First: w.Text})
		case 1:
			terms[0].Second, terms[0].Characters = w.Text, w.Character && last.Character
		default:
			terms = append(terms, Term{First: last.Text, Second: w.Text, Characters: w.Character && last.Character, Offset: last.Position})
		}
		last = w
	}
	return terms
}
