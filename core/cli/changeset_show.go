package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

type changeSetView struct {
	ChangeSet wire.ChangeSet `json:"changeSet"`
	Items     []wire.Item    `json:"items"`
	More      bool           `json:"more"`
}

func (a *app) changeSetShowCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show CHANGE-SET", Short: "Show a change set and what is staged in it"}
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		return reply(a, "reading the change set", func() (changeSetView, error) { return a.readChangeSet(ctx, args[0], a.flags.limit) }, changeSetView.show)
	})
}

func (a *app) readChangeSet(ctx context.Context, id string, limit int) (changeSetView, error) {
	set, err := a.client.ChangeSet(ctx, a.project, id)
	if err != nil {
		return changeSetView{}, err
	}
	items, more, err := a.client.RecentItems(ctx, a.project, id, limit)
	if err != nil {
		return changeSetView{}, err
	}
	return changeSetView{ChangeSet: set, Items: items, More: more}, nil
}

func (v changeSetView) show(p *page) {
	s := v.ChangeSet
	pairs := [][2]string{{"change set", string(s.ID)}, {"title", s.Title}}
	if s.Description != "" {
		pairs = append(pairs, [2]string{"description", s.Description})
	}
	status := string(s.Status)
	if s.ReleaseNumber != nil {
		status += " as release " + releaseText(s.ReleaseNumber)
	}
	p.facts(append(pairs, [2]string{"status", status}, [2]string{"created", s.CreatedAt.String()})...)
	p.line("")
	if len(v.Items) == 0 {
		p.line("Nothing is staged.")
		return
	}
	var t table
	t.row(plain, "OPERATION", "COLLECTION", "SLUG", "RESOURCE", "SUMMARY")
	for _, i := range v.Items {
		t.row(looks[string(i.Operation)], i.Operation, orDash(i.Collection), orDash(deref(i.Slug)), i.ResourceID, i.ChangeSummary)
	}
	p.table(t)
	p.more(v.More, len(v.Items))
}
