// Package search says what the parameter q means ("Content read API" of the interface): which words a text consists of,
// how a query reads, and whether an entry's texts match it.
//
// A word is a word of Unicode text segmentation (UAX 29) after folding, so "Café" and "cafe" are one term. A word with an
// apostrophe, a dot or a colon between letters is a phrase of its parts: "l'eau" is found by "eau". Numbers keep their
// dots and commas. Chinese, Japanese and Korean put no spaces where a reader would search, so there each character is a
// term and each pair of neighbours is another, and a run of them in a query is a phrase of pairs.
//
// Terms have positions within their text, counted in words or characters. Two terms of a phrase must be as far apart in
// the text as in the phrase. Texts are values of their own: a phrase never spans two of them, but the words of a query
// may be in different ones.
package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Terms returns the terms of a text with their positions, as an index keeps them. Several terms may share a position.
func Terms(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		var previous string
		for w := range split(text) {
			if w.joined && !yield(previous+w.term, w.position-1) {
				return
			}
			if !yield(w.term, w.position) {
				return
			}
			previous = w.term
		}
	}
}

// word is a word, or a single character of a script that is written without spaces.
type word struct {
	term     string
	position int
	// joined is true for a character that follows another one directly.
	joined bool
}

// split returns the words of a text in order.
func split(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		position, characterEnd := 0, -1
		for segments := words.FromString(fold(text)); segments.Next(); {
			start := segments.Start()
			for part := range parts(segments.Value()) {
				joined := part.character && start+part.start == characterEnd
				if !yield(word{part.term, position, joined}) {
					return
				}
				if part.character {
					characterEnd = start + part.start + len(part.term)
				}
				position++
			}
		}
	}
}

// part is a piece of a segment: letters, digits and their marks, or one character of Chinese, Japanese or Korean.
type part struct {
	term      string
	start     int // in bytes from the start of the segment
	character bool
}

func parts(segment string) iter.Seq[part] {
	return func(yield func(part) bool) {
		start := -1 // of the letters and digits that are being read
		for i := 0; i < len(segment); {
			r, size := utf8.DecodeRuneInString(segment[i:])
			character := isCharacter(r)
			switch {
			case !character && (isWordRune(r) || start >= 0 && betweenDigits(segment, i, size)):
				if start < 0 {
					start = i
				}
				i += size
				continue
			case start >= 0 && !yield(part{segment[start:i], start, false}):
				return
			}
			start = -1
			if character {
				size += marks(segment[i+size:])
				if !yield(part{segment[i : i+size], i, true}) {
					return
				}
			}
			i += size
		}
		if start >= 0 {
			yield(part{segment[start:], start, false})
		}
	}
}

// isCharacter reports whether a character is a term by itself.
func isCharacter(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) || r == 'ー')
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// betweenDigits reports whether the character at i, such as a dot, is inside a number.
func betweenDigits(segment string, i, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(segment[:i])
	after, _ := utf8.DecodeRuneInString(segment[i+size:])
	return unicode.IsDigit(before) && unicode.IsDigit(after)
}

// marks returns the length of the combining marks at the start.
func marks(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, unicode.IsMark))
}
