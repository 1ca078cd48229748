package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

func (a *app) changeSetEditCommand() *cobra.Command {
	var title, description, status string
	cmd := &cobra.Command{
		Use:   "edit CHANGE-SET",
		Short: "Change the title, the description or the status of a change set",
		Long: `Change the title, the description or the status of a change set that is open or ready. What is staged in it stays as it is.

The status ready announces a set for review, by the event change_set.ready_for_review; it can still be edited and published as an
open one can, and --status open takes that back. Other states are reached by "svc change-sets publish" and "svc change-sets close".`,
		Example: "  svc change-sets edit chs_01h455vb4pex5vsknk084sn02q --title 'Spring issue' --status ready",
	}
	cmd.Flags().StringVar(&title, "title", "", "`TITLE` of the change set, and of its release")
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` saying more about it; '' removes it")
	cmd.Flags().StringVar(&status, "status", "", "`STATUS` of it (open, ready)")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		var in wire.ChangeSetEdit
		if title != "" {
			in.Title = wire.Some(title)
		}
		if cmd.Flags().Changed("description") {
			in.Description.Text = &description
		}
		if status != "" {
			if in.Status = wire.Some(content.ChangeSetStatus(status)); !in.Status.Value.Editable() {
				return usage("", "--status is %q; it may be open or ready", status)
			}
		}
		if in == (wire.ChangeSetEdit{}) {
			return usage("give --title, --description or --status", "it is not said what to change")
		}
		a.uncertain = fmt.Sprintf(`it may have been changed: "svc change-sets show %s" tells`, args[0])
		set, err := ask(a, "changing the change set", func() (wire.ChangeSet, error) { return a.client.EditChangeSet(ctx, a.project, args[0], in) })
		if err != nil {
			return err
		}
		return a.answer(changeSetAnswer{set}, func(p *page) {
			p.line("%s %s, %q, which is %s", p.paint(green, "changed"), p.paint(bold, string(set.ID)), set.Title, p.paint(looks[string(set.Status)], string(set.Status)))
		})
	})
}
