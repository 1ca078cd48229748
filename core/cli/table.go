package cli

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// gap stands between two columns.
const gap = "  "

// table is a set of rows whose cells are aligned.
type table []tableRow

type tableRow struct {
	look  paint // of the first cell
	cells []string
	texts []int // the columns of which this row has the headings, and which may be cut
}

// heading is that of a column of texts, which may be cut to fit a terminal. Ids, slugs and what is wrong never are.
type heading string

// row adds a row; its cells are printed as fmt.Sprint does.
func (t *table) row(look paint, cells ...any) {
	row := tableRow{look: look}
	for n, cell := range cells {
		row.cells = append(row.cells, clean(fmt.Sprint(cell)))
		if _, ok := cell.(heading); ok {
			row.texts = append(row.texts, n)
		}
	}
	*t = append(*t, row)
}

// widths are those of the columns.
func (t table) widths() (widths []int) {
	for _, r := range t {
		for n, cell := range r.cells {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], runewidth.StringWidth(cell))
		}
	}
	return widths
}

// leastText is how wide a column of texts stays, however narrow the terminal is.
const leastText = 10

// fit cuts the widest column of texts so that the rows are as wide as a terminal.
func (t table) fit(width int) {
	if len(t) == 0 || len(t[0].texts) == 0 {
		return
	}
	widths := t.widths()
	over, widest := -len(gap)-width, t[0].texts[0]
	for _, w := range widths {
		over += w + len(gap)
	}
	for _, n := range t[0].texts {
		if widths[n] > widths[widest] {
			widest = n
		}
	}
	if over <= 0 {
		return
	}
	for _, r := range t {
		r.cells[widest] = runewidth.Truncate(r.cells[widest], max(widths[widest]-over, leastText), "…")
	}
}

// table adds a table.
func (p *page) table(t table) {
	if p.width > 0 {
		t.fit(p.width)
	}
	widths := t.widths()
	for _, r := range t {
		var line strings.Builder
		for n, cell := range r.cells {
			line.WriteString(cell + strings.Repeat(" ", widths[n]-runewidth.StringWidth(cell)) + gap)
		}
		first := r.cells[0]
		p.line("%s%s", p.paint(r.look, first), strings.TrimRight(line.String()[len(first):], " "))
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
