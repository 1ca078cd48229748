package cli

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// run is a part of a line with one look, and runs are those of a line.
type (
	run struct {
		text string
		look paint
	}
	runs []run
)

// minWidth is from how many columns on lines are wrapped.
const minWidth = 20

func (r runs) width() (columns int) {
	for _, one := range r {
		columns += runewidth.StringWidth(one.text)
	}
	return columns
}

// add appends a text, to the last run where the look is the same.
func (r runs) add(text string, look paint) runs {
	if n := len(r); n > 0 && r[n-1].look == look {
		r[n-1].text += text
		return r
	}
	return append(r, run{text, look})
}

func (p *page) runs(r runs) (text painted) {
	for _, one := range r {
		text += p.paint(one.look, one.text)
	}
	return text
}

// marked has marks that say which words differ, where the page has no colours. A line of one run needs none.
func (p *page) marked(all runs) runs {
	if p.colour || len(all) < 2 {
		return all
	}
	out := slices.Clone(all)
	for n, r := range out {
		switch r.look {
		case red:
			out[n].text = "[-" + r.text + "-]"
		case green:
			out[n].text = "{+" + r.text + "+}"
		}
	}
	return out
}

// wrap breaks a line into lines of so many columns, between words where it can.
func wrap(all runs, width int) (lines []runs) {
	var line runs
	for _, r := range all {
		for _, word := range strings.SplitAfter(clean(r.text), " ") {
			for word != "" {
				if used := line.width(); used > 0 && used+runewidth.StringWidth(strings.TrimRight(word, " ")) > width {
					lines, line = append(lines, line), nil
				}
				part := runewidth.Truncate(word, width-line.width(), "")
				if part == "" { // a blank at the end of the line
					break
				}
				line, word = line.add(part, r.look), word[len(part):]
			}
		}
	}
	if line != nil || lines == nil {
		lines = append(lines, line)
	}
	return lines
}
