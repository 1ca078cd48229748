package cli

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
)

// clean makes text from outside fit to be printed in one line: what would steer the terminal, or turn the direction
// of what follows, is replaced.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// count writes a number with separators: 12,345.
func count(n int) string { return humanize.Comma(int64(n)) }

// counted writes a number of things: "1 entry", "12 entries".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// deref is what a text that may be null says; null is empty.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
}
