package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

func (a *app) changeSetsCommand() *cobra.Command {
	return group(&cobra.Command{Use: "change-sets", Short: "List, show, validate and publish change sets"},
		a.changeSetListCommand(), a.changeSetShowCommand(), a.changeSetValidateCommand(), a.changeSetPublishCommand())
}

type changeSetList struct {
	ChangeSets []wire.ChangeSet `json:"changeSets"`
	More       bool             `json:"more"`
}

func (a *app) changeSetListCommand() *cobra.Command {
	var status string
	var limit int
	cmd := &cobra.Command{Use: "list", Short: "List change sets, newest first"}
	cmd.Flags().StringVar(&status, "status", "", "only those in this `STATUS`: "+statuses(", "))
	addLimit(cmd, &limit)
	a.completeFlag(cmd, "status", func(*app, context.Context) []string { return strings.Fields(statuses(" ")) })
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if status != "" && !slices.Contains(content.ChangeSetStatuses(), content.ChangeSetStatus(status)) {
			return usage("", "--status is %q; it may be %s", status, statuses(", "))
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		c, project, err := a.connectProject(ordinary)
		if err != nil {
			return err
		}
		var list changeSetList
		err = a.during(ctx, "reading change sets", nil, func(ctx context.Context) error {
			sets, more, err := c.RecentChangeSets(ctx, project, status, limit)
			list.ChangeSets, list.More = sets, more
			return err
		})
		if err != nil {
			return err
		}
		return a.answer(list, list.show)
	})
}

func statuses(separator string) string {
	var names []string
	for _, s := range content.ChangeSetStatuses() {
		names = append(names, string(s))
	}
	return strings.Join(names, separator)
}

func (l changeSetList) show(p *page) {
	if len(l.ChangeSets) == 0 {
		p.line("No change sets.")
		return
	}
	t := table{head: []string{"CHANGE SET", "STATUS", "RELEASE", "CREATED", "TITLE"}, flex: 4}
	for _, s := range l.ChangeSets {
		t.row(text(string(s.ID)), painted(statusPaint(s.Status), string(s.Status)), text(releaseText(s.ReleaseNumber)), text(s.CreatedAt.String()), text(s.Title))
	}
	p.table(t)
	p.more(l.More, len(l.ChangeSets))
}

func statusPaint(status content.ChangeSetStatus) paint {
	switch status {
	case content.ChangeSetOpen:
		return yellow
	case content.ChangeSetReady:
		return cyan
	case content.ChangeSetPublished:
		return green
	}
	return dim
}

func releaseText(n *uint64) string {
	if n == nil {
		return "–"
	}
	return decimal(*n)
}

// addLimit adds the flag that bounds a list.
func addLimit(cmd *cobra.Command, limit *int) {
	cmd.Flags().IntVarP(limit, "limit", "n", 25, "how many (`N`) to list; 0 lists all")
}

func checkLimit(limit int) error {
	if limit < 0 {
		return usage("", "--limit is %d; it must be 0 (all) or more", limit)
	}
	return nil
}

// more says that a list goes on.
func (p *page) more(more bool, n int) {
	if more {
		p.line("%s", p.paint(dim, "the newest "+count(n)+"; --limit 0 lists all"))
	}
}
