package cli

import (
	"regexp"
	"strings"
)

// The width of help. Outside a terminal it is helpWidth.
const (
	leastHelpWidth, helpWidth, mostHelpWidth = 80, 100, 120
)

// helpColumns is how wide help is written here.
func (a *app) helpColumns() int {
	if !a.OutTerminal || a.Width == 0 {
		return helpWidth
	}
	return min(max(a.Width, leastHelpWidth), mostHelpWidth)
}

// namePart is the beginning of an indented line up to where its text starts: behind a name and a wide gap, if there is one.
var namePart = regexp.MustCompile(`^\s+(?:\S+(?: \S+)*\s{2,})?`)

// fit lays a page out for a terminal of n columns. Lines that are not indented make up paragraphs, which are broken
// anew; an indented line stays one, and goes on below its text where it is too long.
func fit(page string, n int) string {
	var out []string
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, wrap(strings.Join(paragraph, " "), n)...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(page, "\n") {
		switch name := namePart.FindString(line); {
		case strings.TrimSpace(line) == "":
			end()
			out = append(out, "")
		case name == "":
			paragraph = append(paragraph, strings.TrimSpace(line))
		default:
			end()
			below := strings.Repeat(" ", columns(name))
			out = append(out, name+strings.Join(wrap(line[len(name):], n-len(below)), "\n"+below))
		}
	}
	end()
	return strings.Join(out, "\n")
}
