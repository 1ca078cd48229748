package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema/diff"
)

func (a *app) changeSetsCommand() *cobra.Command {
	return group(&cobra.Command{Use: "change-sets", Short: "Create, list, show, edit, compare, rebase, unstage, validate, publish and close change sets"},
		a.changeSetCreateCommand(), a.changeSetListCommand(), a.changeSetShowCommand(), a.changeSetEditCommand(), a.changeSetDiffCommand(), a.changeSetRebaseCommand(),
		a.changeSetUnstageCommand(), a.changeSetValidateCommand(), a.changeSetPublishCommand(), a.changeSetCloseCommand())
}

// changeSetAnswer is a change set after it was created, edited or closed.
type changeSetAnswer struct {
	ChangeSet wire.ChangeSet `json:"changeSet"`
}

func (a *app) changeSetCreateCommand() *cobra.Command {
	var title, description string
	cmd := &cobra.Command{
		Use:     "create",
		Short:   "Create a change set",
		Long:    "Create a change set, for edits that are to be published together: each command that stages something takes its id with --change-set.",
		Example: "  svc change-sets create --title 'Spring issue'",
	}
	cmd.Flags().StringVar(&title, "title", "", "`TITLE` of the change set, and of its release (needed)")
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` saying more about it")
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		if title == "" {
			return usage("name the change set with --title", "the title of the change set is missing")
		}
		a.uncertain = `it may have been created: "svc change-sets list --status open" tells`
		set, err := ask(a, "creating the change set", func() (wire.ChangeSet, error) { return a.client.CreateChangeSet(ctx, a.project, title, description) })
		if err != nil {
			return err
		}
		return a.answer(changeSetAnswer{set}, func(p *page) {
			p.line("%s %s, %q", p.paint(green, "created"), p.paint(bold, string(set.ID)), set.Title)
		})
	})
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
	t.row(plain, "CHANGE SET", "STATUS", "RELEASE", "CREATED", heading("TITLE"))
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
	string(content.OperationDelete): red, bringsBack: green, string(diff.Safe): green, string(diff.ConditionallyDestructive): yellow, string(diff.Destructive): red,
}

// bringsBack is what an update does to an entry of which nothing is published: it was published once.
const bringsBack = "bring back"

// effect is what publishing an item does to its resource, in a word.
func effect(i wire.Item) string {
	if i.ResourceType == content.ResourceEntry && i.Operation == content.OperationUpdate && i.BaseRevisionID == nil {
		return bringsBack
	}
	return string(i.Operation)
}

// effects are those that items can have: the operations, and what brings back.
func effects() (all []string) {
	for _, o := range content.Operations() {
		if all = append(all, string(o)); o == content.OperationUpdate {
			all = append(all, bringsBack)
		}
	}
	return all
}

func releaseText(n *uint64) string {
	if n == nil {
		return "–"
	}
	return decimal(*n)
}

type changeSetView struct {
	ChangeSet wire.ChangeSet `json:"changeSet"`
	Items     []wire.Item    `json:"items"`
	More      bool           `json:"more"`
	names     resourceNames  // of stale items, for a person
}

func (a *app) changeSetShowCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show CHANGE-SET", Short: "Show a change set and what is staged in it"}
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		return reply(a, "reading the change set", func() (changeSetView, error) {
			view, err := a.readChangeSet(ctx, args[0], a.flags.limit)
			if err == nil && !a.asJSON {
				view.names = a.namesOf(ctx, staleItems(view.Items))
			}
			return view, err
		}, changeSetView.show)
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
	t.row(plain, "OPERATION", "COLLECTION", "SLUG", "RESOURCE", heading("SUMMARY"))
	for _, i := range v.Items {
		t.row(looks[effect(i)], effect(i), orDash(i.Collection), orDash(deref(i.Slug)), i.ResourceID, i.ChangeSummary)
	}
	p.table(t)
	p.more(v.More, len(v.Items))
	stale := staleItems(v.Items)
	for _, i := range stale {
		p.labelled(yellow, "stale:", staleText(v.names.of(i.ResourceID), *i.StaleSince))
	}
	p.staleHints(string(s.ID), stale, v.names)
}

// staleItems are those of which something else is published than what they were staged on.
func staleItems(items []wire.Item) (stale []wire.Item) {
	for _, i := range items {
		if i.StaleSince != nil {
			stale = append(stale, i)
		}
	}
	return stale
}

// staleText says since when a resource is stale: that release may as well have unpublished or deleted it.
func staleText(name string, since uint64) string {
	return fmt.Sprintf("%s is not as it was when it was staged, since release %d", name, since)
}

// staleHints says how to go on with a set of which items are stale.
func (p *page) staleHints(id string, stale []wire.Item, names resourceNames) {
	ids := make([]string, len(stale))
	for n, i := range stale {
		ids[n] = i.ResourceID
	}
	for _, hint := range staleHints(id, stale, ids, names) {
		p.labelled(cyan, "hint:", hint)
	}
}
