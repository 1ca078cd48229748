package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
)

type changeSetView struct {
	ChangeSet wire.ChangeSet `json:"changeSet"`
	Items     []wire.Item    `json:"items"`
	More      bool           `json:"more"`
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
		var view changeSetView
		err = a.during(ctx, "reading the change set", nil, func(ctx context.Context) (err error) {
			view, err = readChangeSet(ctx, c, project, args[0], limit)
			return err
		})
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
	t := table{head: []string{"OPERATION", "COLLECTION", "SLUG", "RESOURCE", "SUMMARY"}, flex: 4}
	for _, i := range v.Items {
		slug := "–"
		if i.Slug != nil {
			slug = *i.Slug
		}
		t.row(painted(operationPaint(i.Operation), string(i.Operation)), text(orDash(i.Collection)), text(slug), text(i.ResourceID), text(i.ChangeSummary))
	}
	p.table(t)
	p.more(v.More, len(v.Items))
}

func operationPaint(operation content.Operation) paint {
	switch operation {
	case content.OperationCreate:
		return green
	case content.OperationUpdate:
		return cyan
	case content.OperationUnpublish:
		return yellow
	}
	return red
}
