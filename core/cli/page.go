package cli

import (
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
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
	terminal bool
	colour   bool
	width    int // of the terminal; 0 breaks no line
}

// newPage is an empty page for a terminal, or for what is none.
func (a *app) newPage(terminal bool) *page {
	if !terminal {
		return &page{}
	}
	return &page{terminal: true, colour: a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb", width: a.Width}
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

// labelled adds text behind a label. On a terminal it goes on below itself.
func (p *page) labelled(look paint, label, text string) {
	label = clean(label)
	p.line("%s %s", p.paint(look, label), p.wrap(text, utf8.RuneCountInString(label)+1))
}

// leastWrap is the width below which text is not broken.
const leastWrap = 20

// word is what wrap keeps on one line, behind the space before it. A command in quotes is one word, so that it can be copied.
var word = regexp.MustCompile(`(\s*)(\S*"(?:svc|git) [^"]*"\S*|\S+)`)

// wrap breaks text between words where it reaches the edge of the terminal. It starts after indent columns, and goes on there.
func (p *page) wrap(text string, indent int) painted {
	text = clean(text)
	if p.width-indent < leastWrap || utf8.RuneCountInString(text) <= p.width-indent {
		return painted(text)
	}
	var b strings.Builder
	at := indent
	for _, m := range word.FindAllStringSubmatch(text, -1) {
		space, n := m[1], utf8.RuneCountInString(m[2])
		if at > indent && at+len(space)+n > p.width {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			space, at = "", indent
		}
		b.WriteString(space + m[2])
		at += len(space) + n
	}
	return painted(b.String())
}

// gap stands between two columns.
const gap = "  "

// table is a set of rows whose cells are aligned.
type table []tableRow

type tableRow struct {
	look  paint // of the first cell
	cells []string
}

// row adds a row; its cells are printed as fmt.Sprint does.
func (t *table) row(look paint, cells ...any) {
	row := tableRow{look: look}
	for _, cell := range cells {
		row.cells = append(row.cells, clean(fmt.Sprint(cell)))
	}
	*t = append(*t, row)
}

// table adds a table. Where the terminal is too narrow for it, the last cells go on below themselves, or begin below their
// rows.
func (p *page) table(t table) {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, len(gap), ' ', 0)
	for _, r := range t {
		fmt.Fprintln(w, strings.Join(r.cells, "\t"))
	}
	w.Flush() //nolint:errcheck // a builder takes everything
	lines := strings.Split(aligned.String(), "\n")
	longest := 0
	for _, line := range lines {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	for n, r := range t {
		first, last := r.cells[0], r.cells[len(r.cells)-1]
		middle := lines[n][len(first) : len(lines[n])-len(last)]
		indent := utf8.RuneCountInString(first + middle)
		if last == "" {
			middle = strings.TrimRight(middle, " ")
		} else if p.width > 0 && longest > p.width && p.width-indent < leastWrap {
			indent = 2 * len(gap)
			middle = strings.TrimRight(middle, " ") + "\n" + strings.Repeat(" ", indent)
		}
		p.line("%s%s%s", p.paint(r.look, first), painted(middle), p.wrap(last, indent))
	}
}

// facts adds names with their values, aligned.
func (p *page) facts(pairs ...[2]string) {
	var t table
	for _, pair := range pairs {
		t.row(dim, pair[0], pair[1])
	}
	p.table(t)
}
