package cli

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"
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

// columns returns how many columns of a terminal text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens text to at most n columns, with an ellipsis where something is missing.
func cut(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if n -= runeColumns(r); n < 1 {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// wrap breaks text at spaces into lines of at most n columns, where a word is not longer; below 20 it leaves text
// alone. A command in quotes is one word, so that it can be copied.
func wrap(text string, n int) []string {
	if n < 20 || columns(text) <= n {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range unbroken(text) {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) <= n:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// unbroken lists the words of text, with commands in quotes as one each.
func unbroken(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		command := ""
		for word := range strings.FieldsSeq(text) {
			if command != "" {
				word = command + " " + word
			}
			begins := strings.HasPrefix(word, `"svc`) || strings.HasPrefix(word, `"git`)
			if begins && strings.Count(word, `"`) == 1 {
				command = word
				continue
			}
			command = ""
			if !yield(word) {
				return
			}
		}
		if command != "" {
			yield(command)
		}
	}
}

// count writes a number with separators: 12,345.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// counted writes a number of things: "1 entry", "12 entries".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// bytesText writes a size: 900 B, 4.2 KiB, 31.0 MiB.
func bytesText(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n)/1024, "KiB"
	for _, next := range []string{"MiB", "GiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
