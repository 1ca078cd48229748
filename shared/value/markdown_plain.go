package value

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// plainReader reads the markdown that most texts are made of, many times as fast as the page that a parser makes of it:
// headings, paragraphs, flat lists and fenced code, in which stand emphasis, code, links and images in their plainest form.
// Whatever could mean anything else it does not read at all, so that it never sees another text than the page shows.
type plainReader struct {
	lines    lines
	pictures []picture
	// open is the text of the current paragraph or list item, line after line.
	open []byte
	last plainLine
}

// plainLine is what the last line was.
type plainLine uint8

const (
	lineBlank plainLine = iota
	lineText            // of a paragraph, or one that goes on with the text of a list item
	lineBullet
	lineNumber
	lineHeading
	lineFence
)

// readPlain reads markdown; false where a parser has to read it.
func readPlain(source []byte) (prose, bool) {
	if !utf8.Valid(source) || bytes.Contains(source, []byte("]:")) {
		return prose{}, false // what ]: begins may define links that stand elsewhere
	}
	var r plainReader
	r.lines.b.Grow(len(source))
	for rest := source; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if bytes.HasPrefix(line, []byte("```")) {
			var ok bool
			if after, ok = r.fence(line, after); !ok {
				return prose{}, false
			}
		} else if !r.line(line) {
			return prose{}, false
		}
		rest = after
	}
	if !r.close() {
		return prose{}, false
	}
	return prose{r.lines.String(), r.pictures}, true
}

// line reads one line outside of fenced code.
func (r *plainReader) line(line []byte) bool {
	for _, c := range line {
		if c < ' ' || c == 0x7F || c == '|' {
			return false
		}
	}
	switch {
	case len(line) == 0:
		r.last = lineBlank
		return r.close()
	case line[len(line)-1] == ' ':
		return false // two of them break the line
	case line[0] == '#':
		return r.heading(line)
	case len(line) > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ':
		return r.item(line[2:], lineBullet)
	}
	if digits := countDigits(line); isNumbered(line) {
		// Only a list that begins with 1 can follow a text directly.
		if digits > 9 || len(line) < digits+3 || line[digits+1] != ' ' || r.last == lineText || r.last == lineBullet {
			return false
		}
		return r.item(line[digits+2:], lineNumber)
	}
	if !beginsText(line) {
		return false
	}
	if r.last == lineText || r.last == lineBullet || r.last == lineNumber {
		r.open = append(r.open, '\n')
	}
	r.open, r.last = append(r.open, line...), lineText
	return true
}

func (r *plainReader) heading(line []byte) bool {
	text := bytes.TrimLeft(line, "#")
	level := len(line) - len(text)
	if level > 6 || len(text) < 2 || text[0] != ' ' || text[1] == ' ' || bytes.HasSuffix(text, []byte("#")) || !r.close() {
		return false
	}
	r.open, r.last = append(r.open, text[1:]...), lineHeading
	return r.close()
}

func (r *plainReader) item(text []byte, kind plainLine) bool {
	if !beginsText(text) || isNumbered(text) || !r.close() {
		return false
	}
	r.open, r.last = append(r.open, text...), kind
	return true
}

// fence reads fenced code, whose first line is opening, and returns what comes after it.
func (r *plainReader) fence(opening, rest []byte) ([]byte, bool) {
	for _, c := range opening[3:] {
		if c < ' ' || c == '`' || c == 0x7F {
			return nil, false
		}
	}
	if !r.close() {
		return nil, false
	}
	code := rest
	for n := 0; ; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		switch {
		case string(line) == "```":
			r.lines.end()
			if n > 0 {
				r.lines.add(string(code[:n]), true)
			}
			r.lines.end()
			r.last = lineFence
			return after, true
		case !found || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("```")):
			return nil, false
		}
		for _, c := range line {
			if c < ' ' && c != '\t' || c == 0x7F {
				return nil, false
			}
		}
		n, rest = n+len(line)+1, after
	}
}

// close ends the current paragraph or list item.
func (r *plainReader) close() bool {
	if len(r.open) == 0 {
		return true
	}
	text, ok := r.inline(r.open)
	if !ok {
		return false
	}
	r.lines.end()
	r.lines.add(string(text), false)
	r.lines.end()
	r.open = r.open[:0]
	return true
}

// beginsText tells lines that begin no block of another kind.
func beginsText(line []byte) bool {
	switch c := line[0]; c {
	case '*':
		return plainInlineStart(line)
	case ':':
		return bytes.HasPrefix(line, []byte("::")) // what has one may line up the cells of a table
	case '[', '`':
		return !bytes.HasPrefix(line, []byte("``"))
	default:
		return c != ' ' && !strings.ContainsRune("#>-+_=~<\\&", rune(c))
	}
}

// plainInlineStart tells emphasis from a list and from a line of stars.
func plainInlineStart(line []byte) bool {
	rest := bytes.TrimLeft(line, "*")
	return len(rest) > 0 && isAlphanumeric(rest[0])
}

// isNumbered tells lines that may be an item of a numbered list.
func isNumbered(line []byte) bool {
	n := countDigits(line)
	return n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')')
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func countDigits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}
