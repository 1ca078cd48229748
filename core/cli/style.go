package cli

import (
	"fmt"
	"strings"
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

// style is how text may look where it goes.
type style struct {
	terminal bool
	colour   bool
	width    int // of the terminal; 0 is as wide as it takes
}

// paint colours text, where the style allows that.
func (s style) paint(p paint, text string) string {
	if !s.colour || p == plain || text == "" {
		return text
	}
	return string(p) + text + "\x1b[0m"
}

func (a *app) outStyle() style { return a.styleOf(a.OutTerminal) }
func (a *app) errStyle() style { return a.styleOf(a.ErrTerminal) }

// styleOf says how to write to a terminal, or to what is none.
func (a *app) styleOf(terminal bool) style {
	if !terminal {
		return style{}
	}
	return style{terminal: true, colour: a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb", width: a.Width}
}

// page collects what a command prints for a person.
type page struct {
	style
	text strings.Builder
}

// line adds a line. What came from outside must have gone through clean.
func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// paragraph adds text from anywhere. On a terminal it is broken between words.
func (p *page) paragraph(text string) { p.line("%s", strings.Join(wrap(clean(text), p.width), "\n")) }

// labelled adds text from anywhere behind a label. On a terminal it goes on below itself.
func (p *page) labelled(look paint, label, text string) {
	indent := len(label) + 1
	lines := wrap(clean(text), p.width-indent)
	p.line("%s %s", p.paint(look, label), strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
}
