package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

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
	t.row(plain, "REVISION", "CREATED", "BY", "RELEASE", "CHANGE SET", heading("SUMMARY"))
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
