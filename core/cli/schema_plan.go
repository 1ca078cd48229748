package cli

import (
	"slices"
	"strings"

	"svc/core/wire"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// known is what people know the entry by, in parentheses: its slug and its title.
func known(e wire.ContentError) string {
	title := e.Title
	if title != "" {
		title = `"` + title + `"`
	}
	if by := nonEmpty(schema.Show(e.Slug), title); len(by) > 0 {
		return "(" + strings.Join(by, ", ") + ")"
	}
	return ""
}

// showOperations lists what changes: the mark, what it is about, and the change in words.
func (p *page) showOperations(operations []wire.Operation) {
	var t table
	for _, o := range operations {
		sign, look := "?", red // of a class that this program does not know
		if slices.Contains(diff.Classes(), o.Classification) {
			sign, look = o.Classification.Marker(), looks[string(o.Classification)]
		}
		t.row(look, sign, strings.TrimSuffix(o.Collection+"."+o.Field, "."), o.Message)
	}
	p.table(t)
}

// showContentErrors lists the entries that would not fit; on a terminal only the first ones.
func (p *page) showContentErrors(pl wire.Plan) {
	const label = "content error:"
	shown := pl.ContentErrors
	if p.terminal {
		shown = shown[:min(len(shown), maxShown)]
	}
	for _, e := range shown {
		p.labelled(red, label, strings.Join(nonEmpty(e.Collection, string(e.Entry), known(e), e.Path), " ")+": "+e.Message)
	}
	if more := pl.ContentErrorCount - len(shown); more > 0 {
		p.line("%s and %s more", p.paint(red, label), count(more))
	}
}

// summaryOf counts the operations by class, with what they are for behind their number: "4 changes to demo: 3 safe, 1
// destructive".
func summaryOf(operations []wire.Operation, end string) string {
	var parts []string
	for _, class := range diff.Classes() {
		n := 0
		for _, o := range operations {
			if o.Classification == class {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count(n)+" "+strings.ReplaceAll(string(class), "_", " "))
		}
	}
	return counted(len(operations), "change", "changes") + end + ": " + strings.Join(parts, ", ")
}
