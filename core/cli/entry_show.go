package cli

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"svc/core/wire"
)

func (a *app) entryShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ENTRY",
		Short: "Show an entry, its newest draft and its change sets",
		Long: `Show an entry: where it stands, the fields of its newest draft, the open change sets that stage it, and the fields that several
of them make different.`,
		Example: "  svc entries show posts/night-buses",
	}
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id, err := a.entryID(ctx, args[0])
		if err != nil {
			return err
		}
		return reply(a, "reading the entry", func() (wire.EntryInSets, error) { return a.client.EntryInSets(ctx, a.project, id) }, showEntry)
	})
}

func showEntry(e wire.EntryInSets, p *page) {
	facts := [][2]string{{"entry", string(e.ID)}, {"collection", e.Collection}, {"slug", orDash(deref(e.Slug))}, {"status", e.Status}, {"created", e.CreatedAt.String()}}
	for _, since := range []struct {
		name string
		time wire.Time
	}{{"published", e.PublishedAt}, {"unpublished", e.UnpublishedAt}, {"deleted", e.DeletedAt}} {
		if !since.time.IsZero() {
			facts = append(facts, [2]string{since.name, since.time.String()})
		}
	}
	p.facts(facts...)
	if e.Draft != nil {
		p.line("")
		p.facts(fieldsOf(e.Draft.Fields)...)
	}
	if len(e.OpenChangeSets) == 0 {
		return
	}
	p.line("")
	var t table
	t.row(plain, "CHANGE SET", "STATUS", "TITLE", "CHANGES")
	for _, s := range e.OpenChangeSets {
		changes := strings.Join(s.Fields, ", ")
		if s.Operation != "" {
			changes = string(s.Operation)
		}
		t.row(looks[string(s.Status)], s.ID, s.Status, s.Title, changes)
	}
	p.table(t)
	for _, f := range e.ContendedFields {
		p.line("%s %s: %s change it to different values", p.paint(yellow, "contended"), f.Path, counted(len(f.ChangeSetIDs), "change set", "change sets"))
	}
}

// longestShown is how many characters of a value are shown.
const longestShown = 500

// fieldsOf are the members of an object, each with its value as a person reads it.
func fieldsOf(object jsontext.Value) (fields [][2]string) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return fields
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return fields
		}
		text := []rune(shown(value))
		if len(text) > longestShown {
			text = append(text[:longestShown], []rune(" …")...)
		}
		fields = append(fields, [2]string{key, string(text)})
	}
	return fields
}

type revisionList struct {
	Revisions []wire.Revision `json:"revisions"`
	More      bool            `json:"more"`
}

func (a *app) entryRevisionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revisions ENTRY",
		Short: "List the revisions of an entry, newest first",
		Long: `List the revisions of an entry, newest first: who made each and why, the change set that it was made in, and the release that
published it. "svc entries restore" stages one again.`,
	}
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id, err := a.entryID(ctx, args[0])
		if err != nil {
			return err
		}
		return reply(a, "reading revisions", func() (list revisionList, err error) {
			list.Revisions, list.More, err = a.client.RecentRevisions(ctx, a.project, id, a.flags.limit)
			return list, err
		}, revisionList.show)
	})
}

func (l revisionList) show(p *page) {
	var t table
	t.row(plain, "REVISION", "CREATED", "BY", "RELEASE", "CHANGE SET", "SUMMARY")
	for _, r := range l.Revisions {
		release := "–"
		if r.ReleaseNumber > 0 {
			release = decimal(r.ReleaseNumber)
		}
		t.row(plain, r.ID, r.CreatedAt, cmp.Or(deref(r.CreatedBy), "the system"), release, orDash(deref(r.ChangeSet)), r.ChangeSummary)
	}
	p.table(t)
	p.more(l.More, len(l.Revisions))
}

func (a *app) entryReferencesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "references ENTRY",
		Short: "List what an entry refers to, and what refers to it",
	}
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id, err := a.entryID(ctx, args[0])
		if err != nil {
			return err
		}
		return reply(a, "reading references", func() (wire.References, error) { return a.client.References(ctx, a.project, id) }, showReferences)
	})
}

func showReferences(r wire.References, p *page) {
	if len(r.References)+len(r.ReferencedBy) == 0 {
		p.line("No references.")
		return
	}
	var t table
	t.row(plain, "", "ENTRY", "COLLECTION", "SLUG", "STATE")
	for _, to := range r.References {
		state := "published"
		switch {
		case !to.Exists:
			state = "does not exist"
		case !to.Published:
			state = "not published"
		}
		t.row(cyan, "refers to", to.ID, orDash(deref(to.Collection)), orDash(deref(to.Slug)), state)
	}
	for _, from := range r.ReferencedBy {
		var in []string
		if from.InDraft {
			in = append(in, "draft")
		}
		if from.InPublished {
			in = append(in, "published")
		}
		t.row(green, "referred to by", from.ID, from.Collection, orDash(deref(from.Slug)), "in "+strings.Join(in, " and "))
	}
	p.table(t)
}
