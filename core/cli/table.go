package cli

import (
	"slices"
	"strings"
)

// gap stands between two columns.
const gap = "  "

// minFlex is what a column that may be cut keeps at least.
const minFlex = 12

// cell is a value in a table.
type cell struct {
	text  string
	paint paint
}

func text(s string) cell             { return cell{text: s} }
func painted(p paint, s string) cell { return cell{text: s, paint: p} }

// table is a set of aligned rows. On a terminal that is too narrow the column flex is cut, or goes on below itself.
type table struct {
	head []string // none for a table without headings
	flex int
	wrap bool
	rows [][]cell
}

func (t *table) row(cells ...cell) {
	for i := range cells {
		cells[i].text = clean(cells[i].text)
	}
	t.rows = append(t.rows, cells)
}

// table adds a table to the page.
func (p *page) table(t table) {
	rows := t.rows
	if len(t.head) > 0 {
		head := make([]cell, len(t.head))
		for i, name := range t.head {
			head[i] = cell{name, dim}
		}
		rows = append([][]cell{head}, rows...)
	}
	widths := t.widths(rows, p.width)
	for _, row := range rows {
		if t.wrap {
			p.wrapped(row, widths, t.flex)
			continue
		}
		p.row(row, widths)
	}
}

// wrapped adds a row whose column flex takes as many lines as it needs. A word that is longer is not cut.
func (p *page) wrapped(row []cell, widths []int, flex int) {
	lines := wrap(row[flex].text, widths[flex])
	widths = slices.Clone(widths)
	for i, line := range lines {
		widths[flex] = max(widths[flex], columns(line))
		part := make([]cell, len(row))
		if i == 0 {
			copy(part, row)
		}
		part[flex] = cell{line, row[flex].paint}
		p.row(part, widths)
	}
}

func (p *page) row(row []cell, widths []int) {
	last := len(row) - 1
	for last > 0 && row[last].text == "" { // nothing to pad for
		last--
	}
	for i, c := range row[:last+1] {
		value := cut(c.text, widths[i])
		p.text.WriteString(p.paint(c.paint, value))
		if i < last {
			p.text.WriteString(strings.Repeat(" ", widths[i]-columns(value)) + gap)
		}
	}
	p.text.WriteByte('\n')
}

// widths measures the columns, and takes from the flexible one what a terminal of this width lacks.
func (t *table) widths(rows [][]cell, width int) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(c.text))
		}
	}
	if width == 0 || t.flex >= len(widths) {
		return widths
	}
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if over := total - width; over > 0 {
		widths[t.flex] = max(min(minFlex, widths[t.flex]), widths[t.flex]-over)
	}
	return widths
}

// facts adds names with their values, aligned. On a terminal long values go on in the next line.
func (p *page) facts(pairs ...[2]string) {
	t := table{flex: 1, wrap: true}
	for _, pair := range pairs {
		t.row(painted(dim, pair[0]), text(pair[1]))
	}
	p.table(t)
}
