package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/client"
)

// changeSetItem is what a change set does to one resource.
type changeSetItem struct {
	ResourceType     string  `json:"resourceType"`
	ResourceID       string  `json:"resourceId"`
	Operation        string  `json:"operation"`
	Collection       string  `json:"collection"`
	Slug             *string `json:"slug"`
	BaseRevisionID   *string `json:"baseRevisionId"`
	TargetRevisionID *string `json:"targetRevisionId"`
	ChangeSummary    string  `json:"changeSummary"`
}

type changeSetView struct {
	ChangeSet changeSet       `json:"changeSet"`
	Items     []changeSetItem `json:"items"`
	More      bool            `json:"more"`
}

func (a *app) changeSetShowCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{Use: "show CHANGE-SET", Short: "Show a change set and what is staged in it"}
	addLimit(cmd, &limit)
	cmd.ValidArgsFunction = a.completeArgument((*app).completeSets)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if err := checkLimit(limit); err != nil {
			return err
		}
		c, project, err := a.connectChangeSet(args[0], ordinary)
		if err != nil {
			return err
		}
		view, err := ask(a, "reading the change set", func() (changeSetView, error) { return readChangeSet(ctx, c, project, args[0], limit) })
		if err != nil {
			return err
		}
		return a.answer(view, view.show)
	})
}

func readChangeSet(ctx context.Context, c *client.Client, project, id string, limit int) (changeSetView, error) {
	set, err := c.ChangeSet(ctx, project, id)
	if err != nil {
		return changeSetView{}, err
	}
	items, more, err := c.RecentItems(ctx, project, id, limit)
	if err != nil {
		return changeSetView{}, err
	}
	view := changeSetView{ChangeSet: changeSetOf(set), More: more}
	for _, i := range items {
		view.Items = append(view.Items, changeSetItem{
			ResourceType: i.ResourceType, ResourceID: i.ResourceID, Operation: i.Operation, Collection: i.Collection, Slug: i.Slug,
			BaseRevisionID: i.BaseRevisionID, TargetRevisionID: i.TargetRevisionID, ChangeSummary: i.ChangeSummary,
		})
	}
	return view, nil
}

func (v changeSetView) show(p *page) {
	s := v.ChangeSet
	pairs := [][2]string{{"change set", s.ID}, {"title", s.Title}}
	if s.Description != "" {
		pairs = append(pairs, [2]string{"description", s.Description})
	}
	status := s.Status
	if s.ReleaseNumber != nil {
		status += " as release " + releaseText(s.ReleaseNumber)
	}
	p.facts(append(pairs, [2]string{"status", status}, [2]string{"created", s.CreatedAt})...)
	p.line("")
	if len(v.Items) == 0 {
		p.line("Nothing is staged.")
		return
	}
	var t table
	t.row(plain, "OPERATION", "COLLECTION", "SLUG", "RESOURCE", "SUMMARY")
	for _, i := range v.Items {
		t.row(looks[i.Operation], i.Operation, orDash(i.Collection), orDash(deref(i.Slug)), i.ResourceID, i.ChangeSummary)
	}
	p.table(t)
	p.more(v.More, len(v.Items))
}
