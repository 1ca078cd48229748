package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

// discarded is an entry whose draft was given up.
type discarded struct {
	ID         string  `json:"id"`
	Collection string  `json:"collection"`
	Slug       *string `json:"slug"`
}

func (a *app) discardCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "discard ENTRY",
		Short: "Delete a draft that belongs to no open change set",
		Long: `Delete an entry that was never published and that no open change set stages: its change set was closed, or the entry was
taken out of it. Such a draft can keep a schema from being pushed, whose errors name it. On a terminal it shows the entry and
asks; elsewhere --yes is needed. Entries that were published are deleted in a change set.`,
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return a.does(cmd, func(ctx context.Context, args []string) error {
		id := args[0]
		if !content.IsID[content.EntryID](id) {
			return usage("", "%q is no id of an entry (ent_…)", id)
		}
		if !yes {
			if err := a.someoneToAsk("discarding"); err != nil {
				return err
			}
		}
		c, project, err := a.connectProject(ordinary)
		if err != nil {
			return err
		}
		if !yes {
			if err := a.confirmDiscard(ctx, c, project, id); err != nil {
				return err
			}
		}
		a.uncertain = "it may have been discarded: the same command tells"
		e, err := ask(a, "discarding", func() (client.Entry, error) { return c.DiscardDraft(ctx, project, id) })
		if err != nil {
			return err
		}
		return a.answer(discarded{e.ID, e.Collection, e.Slug}, func(p *page) {
			p.line("%s the draft %s of %s", p.paint(green, "discarded"), nameOf(e), e.Collection)
		})
	})
}

// confirmDiscard asks whether this entry is to go.
func (a *app) confirmDiscard(ctx context.Context, c *client.Client, project, id string) error {
	e, err := ask(a, "reading the entry", func() (client.Entry, error) { return c.Entry(ctx, project, id) })
	if err != nil {
		return err
	}
	return a.confirm(ctx, "Discard the draft "+nameOf(e)+" of "+e.Collection+"? It cannot be published any more.")
}

// nameOf names an entry by its slug and id.
func nameOf(e client.Entry) string {
	if e.Slug == nil {
		return e.ID
	}
	return *e.Slug + " (" + e.ID + ")"
}
