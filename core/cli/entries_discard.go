package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

// discarded is an entry whose draft was given up.
type discarded struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"`
}

func (a *app) discardCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "discard ENTRY",
		Short: "Delete a draft that belongs to no open change set",
		Long: `Delete an entry that was never published and that no open change set stages: its change set was closed, or the entry was
taken out of it. Such a draft can keep a schema from being pushed, whose errors name it. On a terminal it shows the entry and
asks; elsewhere --yes is needed. Entries that were published are deleted in a change set.`,
	}
	a.asks(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id := args[0]
		if !content.IsID[content.EntryID](id) {
			return usage("", "%q is no id of an entry (ent_…)", id)
		}
		if err := a.confirmDiscard(ctx, id); err != nil {
			return err
		}
		a.uncertain = "it may have been discarded: the same command tells"
		e, err := ask(a, "discarding", func() (wire.Entry, error) { return a.client.DiscardDraft(ctx, a.project, id) })
		if err != nil {
			return err
		}
		return a.answer(discarded{e.ID, e.Collection, e.Slug}, func(p *page) {
			p.line("%s the draft %s of %s", p.paint(green, "discarded"), nameOf(e), e.Collection)
		})
	})
}

// confirmDiscard asks whether this entry is to go.
func (a *app) confirmDiscard(ctx context.Context, id string) error {
	if a.flags.yes {
		return nil
	}
	e, err := ask(a, "reading the entry", func() (wire.Entry, error) { return a.client.Entry(ctx, a.project, id) })
	if err != nil {
		return err
	}
	return a.confirm(ctx, "discarding the draft "+nameOf(e)+" of "+e.Collection+", which cannot be published any more")
}

// nameOf names an entry by its slug and id.
func nameOf(e wire.Entry) string {
	if e.Slug == nil {
		return string(e.ID)
	}
	return *e.Slug + " (" + string(e.ID) + ")"
}
