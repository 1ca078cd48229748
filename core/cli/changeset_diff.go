package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

type changeSetDiff struct {
	Items []wire.ItemDiff `json:"items"`
	More  bool            `json:"more"`
	id    string
	names resourceNames // of stale items, for a person
}

func (a *app) changeSetDiffCommand() *cobra.Command {
	var markdown, full bool
	cmd := &cobra.Command{
		Use:   "diff CHANGE-SET",
		Short: "Show what a change set changes, field by field",
		Long: `Show what a change set changes, field by field. Long texts are compared by word; of what stays the same, only the words
next to a change are shown, of a long value that is added or removed as a whole, its first lines, and of very many lines that change,
the first 50. --full shows all of it. A terminal of 120 columns and more shows both sides beside each other. --markdown prints the diff
for the description of a pull request.

A line of the former text stands behind -, one of the new text behind +. Within a line, [-…-] is what is taken out, {+…+} what
is put in, or colours show them; ↵ is a line end that the other text does not have.

An update of an entry that was published once and is not now is called bring back.`,
		Example: "  svc change-sets diff chs_01h455vb4pex5vsknk084sn02q --markdown > diff.md",
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown")
	cmd.Flags().BoolVar(&full, "full", false, "show long values and unchanged text in full")
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		return reply(a, "reading the diff", func() (d changeSetDiff, err error) {
			d.id = args[0]
			d.Items, d.More, err = a.client.RecentDiff(ctx, a.project, args[0], a.flags.limit)
			if err == nil && !a.asJSON {
				d.names = a.namesOf(ctx, d.stale())
			}
			return d, err
		}, func(d changeSetDiff, p *page) {
			if markdown {
				d.markdown(p, full)
			} else {
				d.show(p, full)
			}
		})
	})
}

// stale are the items that are.
func (d changeSetDiff) stale() []wire.Item {
	items := make([]wire.Item, len(d.Items))
	for n, i := range d.Items {
		items[n] = i.Item
	}
	return staleItems(items)
}

// sideBySide is from how many columns on a terminal shows both sides beside each other.
const sideBySide = 120

func (d changeSetDiff) show(p *page, full bool) {
	if len(d.Items) == 0 {
		p.line("Nothing is staged.")
	}
	var left leftOut
	for n, i := range d.Items {
		if n > 0 {
			p.line("")
		}
		p.line("%s", painted(strings.Join(nonEmpty(string(p.paint(looks[effect(i.Item)], effect(i.Item))), clean(i.Collection),
			string(p.paint(bold, deref(i.Slug))), string(p.paint(dim, i.ResourceID)), clean(i.ChangeSummary)), gap)))
		if i.StaleSince != nil {
			p.line("%s%s %s", gap, p.paint(yellow, "stale:"), staleText(d.names.of(i.ResourceID), *i.StaleSince))
		}
		for _, c := range i.Changes {
			p.line("%s%s", gap, p.paint(dim, c.Path))
			lines := compare(c, full)
			p.compared(lines)
			left.add(lines)
		}
		if unchangedEntry(i) {
			p.line("%sno changes", gap)
		}
	}
	if what := left.what(); what != "" {
		p.line("%s", p.paint(dim, "--full shows "+what))
	}
	p.more(d.More, len(d.Items))
	p.staleHints(d.id, d.stale(), d.names)
}

// leftOut is what a diff does not show.
type leftOut struct{ values, text bool }

func (l *leftOut) add(c comparison) {
	l.values, l.text = l.values || c.folded, l.text || c.shortened
}

// what is empty where nothing is left out.
func (l leftOut) what() string {
	switch {
	case l.values && l.text:
		return "long values and unchanged text in full"
	case l.values:
		return "long values in full"
	case l.text:
		return "unchanged text too"
	}
	return ""
}

// unchangedEntry tells whether an item changes no field of its entry. The diff of an asset has no fields.
func unchangedEntry(i wire.ItemDiff) bool {
	return i.ResourceType == content.ResourceEntry && len(i.Changes) == 0
}

// compared adds the lines of a change: beside each other where there is room and two sides.
func (p *page) compared(c comparison) {
	for _, b := range c.blocks {
		if p.width >= sideBySide && !c.oneSided() {
			p.beside(b)
			continue
		}
		for _, l := range b.lines() {
			p.behind(gap+gap+l.mark, l.runs)
		}
	}
}

// beside adds the lines of both sides in columns of the same width.
func (p *page) beside(b block) {
	width := (p.width - 3*len(gap)) / 2
	markBefore, markAfter := deleted, inserted
	if !b.changed {
		markBefore, markAfter = unchanged, unchanged
	}
	before, after := p.column(markBefore, b.before, width), p.column(markAfter, b.after, width)
	for n := range max(len(before), len(after)) {
		line, used := painted(gap+gap), 0
		if n < len(before) {
			line, used = line+p.runs(before[n]), before[n].width()
		}
		if n < len(after) {
			line += painted(strings.Repeat(" ", width-used)+gap) + p.runs(after[n])
		}
		p.line("%s", painted(strings.TrimRight(string(line), " ")))
	}
}

// column is lines wrapped to so many columns, each behind its mark.
func (p *page) column(mark string, lines []runs, width int) (all []runs) {
	for _, l := range lines {
		first := mark
		for _, part := range wrap(p.marked(l), width-len(mark)) {
			all = append(all, append(runs{{text: first}}, part...))
			first = unchanged
		}
	}
	return all
}

// behind adds a line behind a mark; on a terminal that is too narrow for it, the rest of it stands below.
func (p *page) behind(mark string, line runs) {
	lines := []runs{p.marked(line)}
	if width := p.width - len(mark); width >= minWidth {
		lines = wrap(lines[0], width)
	}
	for _, l := range lines {
		p.line("%s", painted(strings.TrimRight(mark+string(p.runs(l)), " ")))
		mark = strings.Repeat(" ", len(mark))
	}
}

// markdown writes the diff for a pull request. What it holds stands in code, so that none of it is read as markup.
func (d changeSetDiff) markdown(p *page, full bool) {
	if len(d.Items) == 0 {
		p.line("Nothing is staged.")
	}
	var left leftOut
	for _, i := range d.Items {
		p.line("### %s", strings.Join(nonEmpty(effect(i.Item), code(i.Collection), code(deref(i.Slug))), " "))
		p.line("")
		p.line("%s", strings.Join(nonEmpty(code(i.ResourceID), code(i.ChangeSummary)), ": "))
		p.line("")
		if i.StaleSince != nil {
			p.line("stale: %s\n", staleText(code(d.names.of(i.ResourceID)), *i.StaleSince))
		}
		var block page
		for _, c := range i.Changes {
			block.line("@@ %s @@", c.Path)
			lines := compare(c, full)
			for _, b := range lines.blocks {
				for _, l := range b.lines() {
					block.behind(l.mark, l.runs)
				}
			}
			left.add(lines)
		}
		if unchangedEntry(i) {
			p.line("no changes\n")
		}
		if text := block.String(); text != "" {
			fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
			p.line("%sdiff\n%s%s\n", painted(fence), painted(text), painted(fence))
		}
	}
	if what := left.what(); what != "" {
		p.line("`--full` shows %s.\n", what)
	}
	if d.More {
		p.line("There is more; `--limit 0` shows all.")
	}
}

// code is a text as a code span of Markdown, which shows it as it is.
func code(text string) string {
	if text == "" {
		return ""
	}
	text = clean(text)
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	first, last := text[0], text[len(text)-1]
	if first == '`' || last == '`' || first == ' ' && last == ' ' && strings.Trim(text, " ") != "" {
		text = " " + text + " " // which Markdown takes away again
	}
	return fence + text + fence
}

// longestRun is how often a character stands in a row in a text, at most.
func longestRun(text string, r rune) (longest int) {
	n := 0
	for _, each := range text {
		if n++; each != r {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}
