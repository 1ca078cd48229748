package cli

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
)

// The marks of lines: those that one state has alone, and those of both.
const (
	deleted   = "- "
	inserted  = "+ "
	unchanged = "  "
)

// comparison is a change as lines.
type comparison struct {
	blocks    []block
	folded    bool // not all of a value is there
	shortened bool // not all of the unchanged text is there
}

// block is lines that correspond to each other in both states. One ends at each line break that both have.
type block struct {
	before, after []runs
	changed       bool
}

// oneSided tells whether only one state has a value.
func (c comparison) oneSided() bool {
	return len(c.blocks) == 1 && (c.blocks[0].before == nil || c.blocks[0].after == nil)
}

// markedLine is a line behind its mark.
type markedLine struct {
	mark string
	runs runs
}

// lines are those of a block below each other: what both states have once, else the lines of one state and those of the other.
func (b block) lines() (all []markedLine) {
	if !b.changed {
		for _, l := range b.before {
			all = append(all, markedLine{unchanged, l})
		}
		return all
	}
	for _, l := range b.before {
		all = append(all, markedLine{deleted, l})
	}
	for _, l := range b.after {
		all = append(all, markedLine{inserted, l})
	}
	return all
}

// compare is what a change shows of both states. Unless it is to be full, long values that appear or disappear as a whole are cut to
// their first lines, what both have of a text to the words next to a change, and many changed lines to the first of them.
func compare(c wire.Change, full bool) comparison {
	segments := joinChanges(byLine(c.Segments))
	if segments == nil {
		segments = listSegments(c.Before, c.After)
	}
	if segments == nil || c.Kind != "changed" {
		before, cutBefore := whole(c.Before, red, full)
		after, cutAfter := whole(c.After, green, full)
		return comparison{blocks: []block{{before, after, true}}, folded: cutBefore || cutAfter}
	}
	var a alignment
	shortened := false
	for n, s := range segments {
		if s.Op == "equal" && !full {
			text := s.Value
			s.Value = shorten(text, n > 0, n < len(segments)-1)
			shortened = shortened || s.Value != text
		}
		a.add(s)
	}
	a.end(true)
	if full {
		return comparison{blocks: a.blocks}
	}
	blocks, cut := firstChanges(a.blocks)
	return comparison{blocks: blocks, shortened: shortened, folded: cut}
}

// maxChanges is how many changed lines of a value are shown, at most.
const maxChanges = 50

// firstChanges cuts blocks behind so many changed lines, and says how many more there are. Of the block in which that is, as many lines
// are kept of one state as of the other, where it has those.
func firstChanges(all []block) (kept []block, cut bool) {
	left, more := maxChanges, 0
	for _, b := range all {
		switch n := len(b.before) + len(b.after); {
		case !b.changed && more == 0:
			kept = append(kept, b)
		case !b.changed:
		case n <= left:
			kept, left = append(kept, b), left-n
		default:
			before := min(len(b.before), max(left/2, left-len(b.after)))
			after := min(len(b.after), left-before)
			if before+after > 0 {
				kept = append(kept, block{b.before[:before], b.after[:after], true})
			}
			left, more = 0, more+n-before-after
		}
	}
	if more == 0 {
		return all, false
	}
	rest := []runs{{{"… " + counted(more, "more changed line", "more changed lines"), dim}}}
	return append(kept, block{before: rest, after: rest}), true
}

// listThreshold is from how many characters on lists and objects are compared line by line.
const listThreshold = 160

// listSegments compares lists and objects by the lines of their indented JSON. It is nil where that is not worth it.
func listSegments(before, after jsontext.Value) []wire.Segment {
	if max(len(before), len(after)) < listThreshold {
		return nil
	}
	was, is := indented(before), indented(after)
	if was == nil || is == nil {
		return nil
	}
	return lineSegments(was, is)
}

// indented is the lines of a list or an object, with their line breaks; nil for anything else.
func indented(raw jsontext.Value) []string {
	if kind := raw.Kind(); kind != '[' && kind != '{' {
		return nil
	}
	copied := raw.Clone()
	if copied.Indent(jsontext.WithIndent("  ")) != nil {
		return nil
	}
	return strings.SplitAfter(string(copied)+"\n", "\n")
}

// alignment makes blocks of segments.
type alignment struct {
	blocks []block
	open   block // its last lines may go on
}

func (a *alignment) add(s wire.Segment) {
	if s.Op == "equal" {
		a.end(false)
	}
	for n, text := range strings.Split(s.Value, "\n") {
		if n > 0 {
			a.breakLine(s.Op)
		}
		if text != "" {
			a.append(s.Op, text)
		}
	}
}

func (a *alignment) append(op, text string) {
	if op != "insert" {
		a.open.before = extended(a.open.before, text, lookOf(op))
	}
	if op != "delete" {
		a.open.after = extended(a.open.after, text, lookOf(op))
	}
	a.open.changed = a.open.changed || op != "equal"
}

// breakLine begins a new line. A line break that one state has alone is shown where the rest of the line is not new as well.
func (a *alignment) breakLine(op string) {
	if op != "insert" {
		a.open.before = broken(a.open.before, lookOf(op))
	}
	if op != "delete" {
		a.open.after = broken(a.open.after, lookOf(op))
	}
	a.open.changed = a.open.changed || op != "equal"
	if op == "equal" {
		a.end(false)
	}
}

// end makes a block of the open lines where both states are at the beginning of a line, and of the last lines in any case.
func (a *alignment) end(last bool) {
	before, atStart := ended(a.open.before)
	after, bothAtStart := ended(a.open.after)
	if !last && !(atStart && bothAtStart) {
		return
	}
	if len(before)+len(after) > 0 {
		a.blocks = append(a.blocks, block{before, after, a.open.changed})
	}
	a.open = block{}
}

// ended is lines without an empty one at the end, and whether the next text begins a line.
func ended(lines []runs) (rest []runs, atStart bool) {
	last := len(lines) - 1
	if last < 0 {
		return nil, true
	}
	if len(lines[last]) == 0 {
		return lines[:last], true
	}
	return lines, false
}

func extended(lines []runs, text string, look paint) []runs {
	if lines == nil {
		lines = []runs{nil}
	}
	last := len(lines) - 1
	lines[last] = lines[last].add(text, look)
	return lines
}

func broken(lines []runs, look paint) []runs {
	if lines == nil {
		lines = []runs{nil}
	}
	last := len(lines) - 1
	if line := lines[last]; look != plain && len(line) > 0 && (len(line) > 1 || line[0].look != look) {
		lines[last] = line.add("↵", look)
	}
	return append(lines, nil)
}

func lookOf(op string) paint {
	switch op {
	case "delete":
		return red
	case "insert":
		return green
	}
	return plain
}
