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

// classes is how each class looks, and what it is called in a summary.
var classes = []struct {
	class diff.Class
	paint paint
	name  string
}{
	{diff.Safe, green, "safe"},
	{diff.ConditionallyDestructive, yellow, "conditionally destructive"},
	{diff.Destructive, red, "destructive"},
}

// mark is the sign of a class: + ~ or !. One that this program does not know is to be looked at.
func mark(classification diff.Class) (string, paint) {
	for _, c := range classes {
		if c.class == classification {
			return c.class.Marker(), c.paint
		}
	}
	return "?", red
}

// showOperations lists what changes: the mark, what it is about, and the change in words.
func (p *page) showOperations(operations []wire.Operation) {
	t := table{flex: 2, wrap: true}
	for _, o := range operations {
		sign, paint := mark(o.Classification)
		t.row(painted(paint, sign), painted(bold, strings.TrimSuffix(o.Collection+"."+o.Field, ".")), text(o.Message))
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
	for _, c := range classes {
		n := len(slices.DeleteFunc(slices.Clone(operations), func(o wire.Operation) bool { return o.Classification != c.class }))
		if n > 0 {
			parts = append(parts, count(n)+" "+c.name)
		}
	}
	return counted(len(operations), "change", "changes") + end + ": " + strings.Join(parts, ", ")
}
