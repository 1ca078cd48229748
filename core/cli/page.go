package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
)

// paint is what switches a terminal to a colour or a weight; they can be joined.
type paint string

const (
	plain  paint = ""
	bold   paint = "\x1b[1m"
	dim    paint = "\x1b[2m"
	red    paint = "\x1b[31m"
	green  paint = "\x1b[32m"
	yellow paint = "\x1b[33m"
	cyan   paint = "\x1b[36m"
)

// page collects what a command prints for a person.
type page struct {
	strings.Builder
	colour bool
	width  int // of the terminal, in columns; 0: it is none
}

// newPage is an empty page for a terminal, or for what is none.
func (a *app) newPage(terminal bool) *page {
	p := &page{colour: terminal && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb"}
	if terminal {
		p.width = a.Width
	}
	return p
}

// tell prints what show writes for a person on standard error.
func (a *app) tell(show func(p *page)) {
	p := a.newPage(a.ErrTerminal)
	show(p)
	fmt.Fprint(a.Err, p.String())
}

// painted is clean text with a look.
type painted string

// paint cleans a text and colours it where the page has colours.
func (p *page) paint(look paint, text string) painted {
	text = clean(text)
	if !p.colour || look == plain || text == "" {
		return painted(text)
	}
	return painted(string(look) + text + "\x1b[0m")
}

// line adds a line. Every argument that is a string is cleaned, so it may come from anywhere.
func (p *page) line(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = clean(text)
		}
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// labelled adds text behind a label.
func (p *page) labelled(look paint, label, text string) {
	p.line("%s %s", p.paint(look, label), text)
}

// more says that a list goes on.
func (p *page) more(more bool, n int) {
	if more {
		p.line("%s", p.paint(dim, "the newest "+count(n)+"; --limit 0 lists all"))
	}
}

// clean makes text from outside fit to be printed in one line: what would steer the terminal, or turn the direction
// of what follows, is replaced.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r), r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x2028 && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
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
func deref[S ~string](s *S) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
}
