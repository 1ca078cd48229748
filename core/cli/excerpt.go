package cli

import (
	"strings"
	"unicode/utf8"

	unicodewords "github.com/clipperhouse/uax29/v2/words"
	"github.com/go-json-experiment/json/jsontext"
)

// How much is shown of a value that appears or disappears as a whole, once it has more than maxLines or maxLength.
const (
	foldedLines, maxLines   = 8, 12
	foldedLength, maxLength = 640, 1000 // in characters
)

// isNone tells whether a state has no value.
func isNone(raw jsontext.Value) bool { return raw == nil || raw.Kind() == 'n' }

// whole is the lines of a value of which another state has nothing; nil where there is none.
func whole(raw jsontext.Value, look paint, full bool) (lines []runs, cut bool) {
	if isNone(raw) {
		return nil, false
	}
	text, rest := shown(raw), ""
	switch lines := indented(raw); {
	case text == "":
		text = `""`
	case len(raw) >= listThreshold && lines != nil:
		text = strings.TrimSuffix(strings.Join(lines, ""), "\n")
	}
	if !full {
		text, rest = fold(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, runs{{line, look}})
	}
	if rest != "" {
		lines = append(lines, runs{{rest, dim}})
	}
	return lines, rest != ""
}

// fold cuts a long text to its first lines, and says what is left out.
func fold(text string) (first, rest string) {
	text = strings.TrimRight(text, "\n")
	if strings.Count(text, "\n") < maxLines && utf8.RuneCountInString(text) <= maxLength {
		return text, ""
	}
	lines := strings.SplitAfterN(text, "\n", foldedLines+1)
	first = strings.Join(lines[:min(foldedLines, len(lines))], "")
	if utf8.RuneCountInString(first) > foldedLength {
		first = firstWords(first, foldedLength)
	}
	left := text[len(first):]
	rest = "… " + counted(utf8.RuneCountInString(left), "more character", "more characters")
	if n := strings.Count(left, "\n"); n > 0 {
		rest += " in " + counted(n+1, "line", "lines")
	}
	return strings.TrimRight(first, "\n"), rest
}

// shown is a value for a person: a text without quotation marks, anything else as JSON.
func shown(raw jsontext.Value) string {
	if raw.Kind() == '"' {
		if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
			return string(text)
		}
	}
	return string(raw)
}

// contextLength is how many characters of what stays the same are shown next to a change, at most.
const contextLength = 60

// shorten leaves of a text what is next to a change before it, behind it, or both: whole words of the nearest line that has some.
func shorten(text string, before, behind bool) string {
	var head, tail string
	if before {
		head = firstWords(firstLine(text), contextLength)
	}
	if behind {
		rest := text[len(head):]
		tail = lastWords(lastLine(rest), contextLength)
	}
	left := text[len(head) : len(text)-len(tail)]
	if utf8.RuneCountInString(left) <= contextLength {
		return text
	}
	if !strings.Contains(left, "\n") {
		return strings.Join(nonEmpty(strings.TrimRight(head, " "), "…", strings.TrimLeft(tail, " ")), " ")
	}
	switch { // the mark stands in a line of its own between whole lines
	case head != "" && left[0] == '\n':
		head += "\n"
	case head != "":
		head = strings.TrimRight(head, " ") + " …\n"
	}
	switch {
	case tail != "" && left[len(left)-1] != '\n':
		tail = "… " + strings.TrimLeft(tail, " ")
	case !strings.HasSuffix(head, "…\n"):
		tail = "…\n" + tail
	}
	return head + tail
}

// firstLine is a text up to the end of the first line that is not empty, without its line break.
func firstLine(text string) string {
	from := len(text) - len(strings.TrimLeft(text, "\n"))
	if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
		return text[:from+end]
	}
	return text
}

// lastLine is a text from the beginning of the last line that is not empty on.
func lastLine(text string) string {
	return text[strings.LastIndexByte(strings.TrimRight(text, "\n"), '\n')+1:]
}

// firstWords is as much of a text as so many characters hold, in whole words where there are any.
func firstWords(text string, length int) string {
	all := []rune(text)
	if len(all) <= length {
		return text
	}
	cut := string(all[:length])
	last := 0
	for tokens := unicodewords.FromString(cut); tokens.Next(); {
		last = tokens.Start()
	}
	if last == 0 {
		return cut
	}
	return cut[:last]
}

// lastWords is the same from the end of a text.
func lastWords(text string, length int) string {
	all := []rune(text)
	if len(all) <= length {
		return text
	}
	cut := string(all[len(all)-length:])
	tokens := unicodewords.FromString(cut)
	if tokens.Next(); tokens.End() == len(cut) {
		return cut
	}
	return cut[tokens.End():]
}
