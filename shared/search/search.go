// Package search says what the parameter q means ("Content read API" of the interface): which words a text consists of,
// how a query reads, and whether an entry's texts match it.
//
// A word is a word of Unicode text segmentation (UAX 29) after folding, so "Café" and "cafe" are one. A word with an
// apostrophe, a dot or a colon between letters is a phrase of its parts: "l'eau" is found by "eau". Numbers keep their
// dots and commas. Chinese, Japanese and Korean put no spaces where a reader would search, so there each character is a
// word, and a run of them in a query is a phrase.
//
// Words have positions within their text. A phrase is a run of pairs of neighbours, which an index may keep as well as the
// words. Texts are values of their own: a phrase never spans two of them, but the words of a query may be in different ones.
package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Word is a word of a text, folded.
type Word struct {
	Text     string
	Position int // counted in words
	// Character says that it is one character of a script that is written without spaces.
	Character bool
}

// Words returns the words of a text in order.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) { wordsOf(fold(text))(yield) }
}

// wordsOf is Words for a text that is folded.
func wordsOf(folded string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		position := 0
		for segments := words.FromString(folded); segments.Next(); {
			for part := range parts(segments.Value()) {
				if !yield(Word{part.term, position, part.character}) {
					return
				}
				position++
			}
		}
	}
}

// part is a piece of a segment: letters, digits and their marks, or one character of Chinese, Japanese or Korean.
type part struct {
	term      string
	character bool
}

func parts(segment string) iter.Seq[part] {
	return func(yield func(part) bool) {
		start := -1 // of the letters and digits that are being read
		for i := 0; i < len(segment); {
			r, size := utf8.DecodeRuneInString(segment[i:])
			character := IsCharacter(r)
			switch {
			case !character && (isWordRune(r) || start >= 0 && betweenDigits(segment, i, size)):
				if start < 0 {
					start = i
				}
				i += size
				continue
			case start >= 0 && !yield(part{segment[start:i], false}):
				return
			}
			start = -1
			if character {
				size += marks(segment[i+size:])
				if !yield(part{segment[i : i+size], true}) {
					return
				}
			}
			i += size
		}
		if start >= 0 {
			yield(part{segment[start:], false})
		}
	}
}

// IsCharacter reports whether a character is a word by itself, in scripts that are written without spaces or searched as if they were.
func IsCharacter(r rune) bool {
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
