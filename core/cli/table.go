package cli

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"svc/core/wire"
)

// gap stands between two columns.
const gap = "  "

// table is a set of rows whose cells are aligned.
type table []tableRow

type tableRow struct {
	look  paint // of the first cell
	cells []string
	texts []int          // the columns of which this row has the headings, and which may be cut
	times map[int]string // the times of this row without their seconds, by column
}

// heading is that of a column of texts, which may be cut to fit a terminal. Ids, slugs and what is wrong never are.
type heading string

// row adds a row; its cells are printed as fmt.Sprint does, and a time that is none as –.
func (t *table) row(look paint, cells ...any) {
	row := tableRow{look: look, times: map[int]string{}}
	for n, cell := range cells {
		text := clean(fmt.Sprint(cell))
		switch cell := cell.(type) {
		case heading:
			row.texts = append(row.texts, n)
		case wire.Time:
			if text = orDash(text); !cell.IsZero() {
				row.times[n] = cell.UTC().Format("2006-01-02T15:04Z")
			}
		}
		row.cells = append(row.cells, text)
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

// over is by how many columns the rows are wider than a terminal.
func (t table) over(width int) int {
	over := -len(gap) - width
	for _, w := range t.widths() {
		over += w + len(gap)
	}
	return over
}

// fit makes the rows as wide as a terminal where they are wider: times lose their seconds, and then the widest column of texts is cut.
func (t table) fit(width int) {
	if len(t) == 0 || t.over(width) <= 0 {
		return
	}
	for _, r := range t {
		for n, short := range r.times {
			r.cells[n] = short
		}
	}
	over := t.over(width)
	if over <= 0 || len(t[0].texts) == 0 {
		return
	}
	widths, widest := t.widths(), t[0].texts[0]
	for _, n := range t[0].texts {
		if widths[n] > widths[widest] {
			widest = n
		}
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
