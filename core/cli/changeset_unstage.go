package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
)

// unstaged is a change set without a resource that was staged in it.
type unstaged struct {
	ChangeSet  wire.ChangeSet `json:"changeSet"`
	ResourceID string         `json:"resourceId"`
}

func (a *app) changeSetUnstageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unstage CHANGE-SET RESOURCE",
		Short: "Take an entry or an asset out of a change set",
		Long: `Take an entry or an asset out of a change set, so that nothing of it is published with the others. What was edited stays in the
history of the entry: "svc entries restore" stages it again, and "svc entries discard" deletes a draft that was never published.`,
		Example: "  svc change-sets unstage chs_01h455vb4pex5vsknk084sn02q posts/night-buses",
	}
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		resource, err := a.stagedID(ctx, args[0], args[1])
		if err != nil {
			return err
		}
		a.uncertain = `it may have been unstaged: "svc change-sets show ` + args[0] + `" tells`
		set, err := ask(a, "unstaging", func() (wire.ChangeSet, error) { return a.client.Unstage(ctx, a.project, args[0], resource) })
		if err != nil {
			return err
		}
		return a.answer(unstaged{set, resource}, func(p *page) {
			p.line("%s %s from %s, %q", p.paint(green, "unstaged"), args[1], p.paint(bold, string(set.ID)), set.Title)
		})
	})
}

// stagedID is the id of the resource that an argument names, by its id or as it is called in the change set. What is not found there is
// looked for in the project: its slug may be another one by now.
func (a *app) stagedID(ctx context.Context, set, name string) (string, error) {
	if content.IsID[content.AssetID](name) || content.IsID[content.EntryID](name) {
		return name, nil
	}
	items, _, err := a.client.RecentItems(ctx, a.project, set, 0)
	if err != nil {
		return "", err
	}
	var found []string
	for id, called := range a.namesOf(ctx, items) {
		if called == name {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return a.entryID(ctx, name)
	case 1:
		return found[0], nil
	}
	slices.Sort(found)
	return "", severalNamed(found, "%d entries in the change set have the slug %s", name)
}

// unstageFirst adds to a refusal because of what change sets stage for an entry how to unstage it.
func (a *app) unstageFirst(entry string, err error) error {
	if err == nil {
		return nil
	}
	f := a.explain(err)
	if f.Code == string(fault.Conflict) && len(f.ChangeSetIDs) > 0 {
		f.Hint = unstageHint(f.ChangeSetIDs[0], entry)
	}
	return f
}

// unstageHint is the command that takes a resource out of a change set.
func unstageHint(set, resource string) string {
	return fmt.Sprintf(`"svc change-sets unstage %s %s" takes it out`, set, resource)
}

func (a *app) changeSetCloseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "close CHANGE-SET",
		Short: "Close a change set without publishing it",
		Long: `Close a change set without publishing it. It cannot be opened again; what was edited in it stays in the history of its entries. Drafts that
were never published stay too: "svc entries discard" deletes them. On a terminal it says how much is staged and asks; elsewhere --yes is needed.`,
	}
	a.addYes(cmd, "do not ask")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := cmp.Or(checkChangeSet(args[0]), a.someoneToAsk(cmd.CommandPath())); err != nil {
			return err
		}
		if err := a.confirmClose(ctx, args[0]); err != nil {
			return err
		}
		a.uncertain = `it may have been closed: "svc change-sets show ` + args[0] + `" tells`
		set, err := ask(a, "closing", func() (wire.ChangeSet, error) { return a.client.Close(ctx, a.project, args[0]) })
		if err != nil {
			return err
		}
		return a.answer(changeSetAnswer{set}, func(p *page) {
			p.line("%s %q, which cannot be published any more", p.paint(green, "closed"), set.Title)
		})
	})
}

// staged is how many items a question counts exactly.
const staged = 500

// confirmClose asks whether a change set with so much in it is to be closed. What would be refused is refused at once.
func (a *app) confirmClose(ctx context.Context, id string) error {
	if a.flags.yes {
		return nil
	}
	view, err := ask(a, "reading the change set", func() (changeSetView, error) { return a.readChangeSet(ctx, id, staged) })
	if err != nil {
		return err
	}
	if status := view.ChangeSet.Status; !status.Editable() {
		return &failure{exit: ExitFailed, Code: string(fault.Conflict), Detail: fmt.Sprintf("the change set %s is %s and cannot be closed", id, status)}
	}
	items := counted(len(view.Items), "item", "items")
	if view.More {
		items = "more than " + items
	}
	return a.confirm(ctx, fmt.Sprintf("closing %q of %s without publishing it (%s)", view.ChangeSet.Title, a.project, items))
}
