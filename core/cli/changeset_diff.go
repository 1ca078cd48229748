package cli

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"svc/core/wire"
)

type changeSetDiff struct {
	Items []wire.ItemDiff `json:"items"`
	More  bool            `json:"more"`
}

func (a *app) changeSetDiffCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "diff CHANGE-SET",
		Short: "Show what a change set changes, field by field",
		Long: `Show what a change set changes, field by field. Long texts are compared by word; of what stays the same, only the words
next to a change are shown. A terminal of 120 columns and more shows both sides beside each other. --markdown prints the
diff for the description of a pull request.`,
		Example: "  svc change-sets diff chs_01h455vb4pex5vsknk084sn02q --markdown > diff.md",
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown")
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		return reply(a, "reading the diff", func() (d changeSetDiff, err error) {
			d.Items, d.More, err = a.client.RecentDiff(ctx, a.project, args[0], a.flags.limit)
			return d, err
		}, func(d changeSetDiff, p *page) {
			if markdown {
				d.markdown(p)
			} else {
				d.show(p)
			}
		})
	})
}

// sideBySide is from how many columns on a terminal shows both sides beside each other.
const sideBySide = 120

func (d changeSetDiff) show(p *page) {
	if len(d.Items) == 0 {
		p.line("Nothing is staged.")
	}
	for n, i := range d.Items {
		if n > 0 {
			p.line("")
		}
		p.line("%s", painted(strings.Join(nonEmpty(string(p.paint(looks[string(i.Operation)], string(i.Operation))), clean(i.Collection),
			string(p.paint(bold, deref(i.Slug))), string(p.paint(dim, i.ResourceID)), clean(i.ChangeSummary)), gap)))
		for _, c := range i.Changes {
			p.line("%s%s", gap, p.paint(dim, c.Path))
			before, after := sides(c)
			if p.width >= sideBySide {
				p.beside(before, after)
				continue
			}
			p.side("- ", before)
			p.side("+ ", after)
		}
	}
	p.more(d.More, len(d.Items))
}

// run is a part of a text with one look.
type run struct {
	text string
	look paint
}

// sides are what a change shows of both states; nil is none. Of long texts, what both have is shortened to the words next to a
// change.
func sides(c wire.Change) (before, after []run) {
	if c.Segments == nil {
		return whole(c.Before, red), whole(c.After, green)
	}
	for n, s := range c.Segments {
		switch s.Op {
		case "delete":
			before = append(before, run{s.Value, red})
		case "insert":
			after = append(after, run{s.Value, green})
		default:
			same := run{text: shorten(s.Value, n > 0, n < len(c.Segments)-1)}
			before, after = append(before, same), append(after, same)
		}
	}
	if c.Kind == "added" {
		before = nil
	}
	if c.Kind == "removed" {
		after = nil
	}
	return before, after
}

func whole(raw jsontext.Value, look paint) []run {
	if raw == nil || raw.Kind() == 'n' {
		return nil
	}
	return []run{{shown(raw), look}}
}

// shown is a value for a person: a text without quotation marks, anything else as JSON.
func shown(raw jsontext.Value) string {
	if raw.Kind() == '"' {
		if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
			return string(text)
		}
	}
	return string(raw)
}

// contextLength is how many characters of what stays the same are shown next to a change.
const contextLength = 60

// shorten leaves of a text what is next to a change before it, behind it, or both, in whole words where it has any.
func shorten(text string, before, behind bool) string {
	all := []rune(text)
	head, tail := "", ""
	if before {
		head = string(all[:min(contextLength, len(all))])
		head = head[:max(strings.LastIndexByte(head, ' '), 0)] + " "
	}
	if behind {
		tail = string(all[max(0, len(all)-contextLength):])
		tail = " " + tail[strings.IndexByte(tail, ' ')+1:]
	}
	if len(all) <= 3*contextLength {
		return text
	}
	return head + "…" + tail
}

// side adds one state under its mark, and nothing where there is none.
func (p *page) side(mark string, runs []run) {
	if runs == nil {
		return
	}
	p.line("%s%s", gap+gap+mark, p.runs(p.marked(runs)))
}

// marked has marks that say which words differ, where the page has no colours.
func (p *page) marked(all []run) []run {
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

// beside adds both states in columns of the same width.
func (p *page) beside(before, after []run) {
	width := (p.width - 3*len(gap)) / 2
	left, right := wrap(p.marked(before), width), wrap(p.marked(after), width)
	for n := range max(len(left), len(right)) {
		line, used := painted(gap+gap), 0
		if n < len(left) {
			line, used = line+p.runs(left[n]), left[n].width()
		}
		if n < len(right) {
			line += painted(strings.Repeat(" ", width-used)+gap) + p.runs(right[n])
		}
		p.line("%s", line)
	}
}

// runs is a part of a line.
type runs []run

func (r runs) width() (columns int) {
	for _, one := range r {
		columns += runewidth.StringWidth(one.text)
	}
	return columns
}

func (p *page) runs(r runs) (text painted) {
	for _, one := range r {
		text += p.paint(one.look, one.text)
	}
	return text
}

// add appends a text, to the last run where the look is the same.
func (r runs) add(text string, look paint) runs {
	if n := len(r); n > 0 && r[n-1].look == look {
		r[n-1].text += text
		return r
	}
	return append(r, run{text, look})
}

// wrap breaks runs into lines of so many columns, between words where it can.
func wrap(all []run, width int) (lines []runs) {
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
	if line != nil {
		lines = append(lines, line)
	}
	return lines
}

// markdown writes the diff for a pull request. Values are text in it, whatever they hold.
func (d changeSetDiff) markdown(p *page) {
	for _, i := range d.Items {
		p.line("### %s", literal(strings.Join(nonEmpty(string(i.Operation), i.Collection, deref(i.Slug)), " ")))
		p.line("")
		p.line("%s", literal(strings.Join(nonEmpty(i.ResourceID, i.ChangeSummary), ": ")))
		p.line("")
		if len(i.Changes) == 0 {
			continue
		}
		p.line("| field | before | after |")
		p.line("|---|---|---|")
		for _, c := range i.Changes {
			before, after := sides(c)
			p.line("| %s | %s | %s |", literal(c.Path), cell(before, c.Segments != nil), cell(after, c.Segments != nil))
		}
		p.line("")
	}
	if d.More {
		p.line("%s", literal("… and more: --limit 0 shows all"))
	}
}

// cell is one state in a table; of long texts, the words that differ are marked.
func cell(runs []run, marked bool) painted {
	text := painted("")
	for _, r := range runs {
		part := literal(r.text)
		if marked && r.look != plain {
			tag := map[paint]painted{red: "del", green: "ins"}[r.look]
			part = "<" + tag + ">" + part + "</" + tag + ">"
		}
		text += part
	}
	return text
}

// literal writes a text so that Markdown shows it as it is: all that could be markup stands as references to characters.
func literal(text string) painted {
	var b strings.Builder
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			b.WriteString("<br>")
		}
		for _, r := range clean(line) {
			if strings.ContainsRune("\\`*_{}[]#|~<>&$@:/.", r) {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteString(html.EscapeString(string(r)))
			}
		}
	}
	return painted(b.String())
}
