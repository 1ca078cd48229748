package cli

import (
	"slices"
	"strings"

	"svc/core/client"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// plan is what a push would do, or did.
type plan struct {
	InSync            bool           `json:"inSync"`
	Classification    string         `json:"classification"`
	Operations        []operation    `json:"operations"`
	ContentErrors     []contentError `json:"contentErrors"`
	ContentErrorCount int            `json:"contentErrorCount"`
	// ContentChecked is false where the credential may not read content, so that nothing is said of it.
	ContentChecked bool             `json:"contentChecked"`
	Versions       map[string]int64 `json:"versions,omitempty"`
	// ConfinedTo are the collections that the credential sees, where it does not see all: the plan is about those alone.
	ConfinedTo []string `json:"confinedTo,omitempty"`
}

type operation struct {
	Collection     string `json:"collection"`
	Field          string `json:"field,omitempty"`
	Kind           string `json:"kind"`
	Classification string `json:"classification"`
	Message        string `json:"message"`
}

type contentError struct {
	EntryID    string `json:"entryId"`
	Collection string `json:"collection"`
	Slug       string `json:"slug,omitempty"`
	Title      string `json:"title,omitempty"`
	RevisionID string `json:"revisionId"`
	Path       string `json:"path"`
	Code       string `json:"code"`
	Message    string `json:"message"`
}

// known is what people know the entry by, in parentheses: its slug and its title.
func (e contentError) known() string {
	title := e.Title
	if title != "" {
		title = `"` + title + `"`
	}
	if by := nonEmpty(schema.Show(e.Slug), title); len(by) > 0 {
		return "(" + strings.Join(by, ", ") + ")"
	}
	return ""
}

func planOf(in client.Plan) plan {
	out := plan{
		InSync: in.InSync, Classification: in.Classification, ContentErrorCount: in.ContentErrorCount,
		ContentChecked: in.ContentChecked, Versions: in.Versions, ConfinedTo: in.ConfinedTo,
	}
	for _, o := range in.Operations {
		out.Operations = append(out.Operations, operation(o))
	}
	for _, e := range in.ContentErrors {
		out.ContentErrors = append(out.ContentErrors, contentError(e))
	}
	return out
}

// showOperations lists what changes: the mark, what it is about, and the change in words.
func (p *page) showOperations(operations []operation) {
	var t table
	for _, o := range operations {
		sign, look := "?", red // of a class that this program does not know
		if class := diff.Class(o.Classification); slices.Contains(diff.Classes(), class) {
			sign, look = class.Marker(), looks[o.Classification]
		}
		t.row(look, sign, strings.TrimSuffix(o.Collection+"."+o.Field, "."), o.Message)
	}
	p.table(t)
}

// showContentErrors lists the entries that would not fit; on a terminal only the first ones.
func (p *page) showContentErrors(pl plan) {
	const label = "content error:"
	shown := pl.ContentErrors
	if p.terminal {
		shown = shown[:min(len(shown), maxShown)]
	}
	for _, e := range shown {
		p.labelled(red, label, strings.Join(nonEmpty(e.Collection, e.EntryID, e.known(), e.Path), " ")+": "+e.Message)
	}
	if more := pl.ContentErrorCount - len(shown); more > 0 {
		p.line("%s and %s more", p.paint(red, label), count(more))
	}
}

// summaryOf counts the operations by class, with what they are for behind their number: "4 changes to demo: 3 safe, 1
// destructive".
func (pl plan) summaryOf(end string) string {
	var parts []string
	for _, class := range diff.Classes() {
		n := 0
		for _, o := range pl.Operations {
			if o.Classification == string(class) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count(n)+" "+strings.ReplaceAll(string(class), "_", " "))
		}
	}
	return counted(len(pl.Operations), "change", "changes") + end + ": " + strings.Join(parts, ", ")
}
