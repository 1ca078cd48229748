package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown bounds what a message repeats of a text that somebody wrote, and listed the texts of a list, in characters
// and texts.
const (
	shown  = 60
	listed = 20
)

// Quote puts a text that somebody wrote in quotes, for a message: its first 60 characters, and what cannot be seen of
// it escaped.
func Quote[S ~string](s S) string {
	text, rest := cut(string(s), shown)
	return `"` + escape(text, `"\`) + rest + `"`
}

// Show is Quote without the quotes, for the names in a path and for expressions. A text of visible characters that is
// short enough is shown as it is.
func Show(s string) string { return ShowUpTo(s, shown) }

// ShowUpTo is Show with another bound, in characters: for a text whose author means it to be read.
func ShowUpTo(s string, most int) string {
	text, rest := cut(s, most)
	return Visible(text) + rest
}

// Visible is a text on one line in which nothing hides: control characters, the marks that turn the direction of
// text around, characters without width, foreign spaces and bytes that are no UTF-8 are escaped as in a Go string. A
// text without any of them is returned as it is; in others backslashes are escaped too, so that no two look the same.
func Visible(s string) string {
	if IsVisible(s) {
		return s
	}
	return escape(s, `\`)
}

// IsVisible reports whether a text has nothing that Visible would escape.
func IsVisible(s string) bool {
	for i, r := range s {
		if !isVisible(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
	}
	return true
}

// ShowAll lists texts that somebody wrote, for a message: the first 20, and how many more there are.
func ShowAll[S ~string](texts []S) string {
	return list(texts, func(s S) string { return Show(string(s)) })
}

func quoteAll[S ~string](texts []S) string { return list(texts, Quote[S]) }

func list[S ~string](texts []S, show func(S) string) string {
	var b strings.Builder
	for i, text := range texts {
		if i == listed {
			fmt.Fprintf(&b, " and %d more", len(texts)-listed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(show(text))
	}
	return b.String()
}

// cut returns the beginning of a text, and the mark that it goes on where it does.
func cut(s string, most int) (beginning, mark string) {
	n := 0
	for i := range s {
		if n == most {
			return s[:i], "…"
		}
		n++
	}
	return s, ""
}

// escape escapes what cannot be seen, and the characters of special.
func escape(s, special string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case isVisible(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// isVisible tells what a page or a terminal shows: not even all letters and marks are, such as the fillers of Hangul.
func isVisible(r rune) bool {
	const blank = '\u2800' // a Braille cell without dots
	return unicode.IsPrint(r) && r != blank &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
