package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema/diff"
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
	cmd := &cobra.Command{Use: "list", Short: "List change sets, newest first"}
	cmd.Flags().StringVar(&status, "status", "", "only those in this `STATUS` ("+statuses()+")")
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		if status != "" && !slices.Contains(content.ChangeSetStatuses(), content.ChangeSetStatus(status)) {
			return usage("", "--status is %q; it may be %s", status, statuses())
		}
		return reply(a, "reading change sets", func() (list changeSetList, err error) {
			list.ChangeSets, list.More, err = a.client.RecentChangeSets(ctx, a.project, status, a.flags.limit)
			return list, err
		}, changeSetList.show)
	})
}

func statuses() string {
	var names []string
	for _, s := range content.ChangeSetStatuses() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (l changeSetList) show(p *page) {
	if len(l.ChangeSets) == 0 {
		p.line("No change sets.")
		return
	}
	var t table
	t.row(plain, "CHANGE SET", "STATUS", "RELEASE", "CREATED", "TITLE")
	for _, s := range l.ChangeSets {
		t.row(looks[string(s.Status)], s.ID, s.Status, releaseText(s.ReleaseNumber), s.CreatedAt, s.Title)
	}
	p.table(t)
	p.more(l.More, len(l.ChangeSets))
}

// looks is how the states of change sets, what they do to entries, and the classes of changes to schemas look.
var looks = map[string]paint{
	string(content.ChangeSetOpen): yellow, string(content.ChangeSetReady): cyan, string(content.ChangeSetPublished): green,
	string(content.OperationCreate): green, string(content.OperationUpdate): cyan, string(content.OperationUnpublish): yellow,
	string(content.OperationDelete): red, string(diff.Safe): green, string(diff.ConditionallyDestructive): yellow, string(diff.Destructive): red,
}

func releaseText(n *uint64) string {
	if n == nil {
		return "–"
	}
	return decimal(*n)
}
