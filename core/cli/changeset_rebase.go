package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

// rebaseChoices are what --on-conflict takes.
var rebaseChoices = []string{"fail", "take-mine", "take-theirs"}

func (a *app) changeSetRebaseCommand() *cobra.Command {
	var onConflict string
	var dryRun, full bool
	cmd := &cobra.Command{
		Use:   "rebase CHANGE-SET",
		Short: "Replay a change set on what is published now",
		Long: `Replay the edits of a change set on what is published now, after others have published some of the same entries. It shows
the plan and asks, again where others have published before the answer; elsewhere than on a terminal --yes is needed. --dry-run
only shows the plan, and --full long values in it whole. An edit in it is one of these:

  replayed  the others left the value alone
  agreed    the others have published the same value
  conflict  both sides changed it differently: CHOICE says whose value to take
  stale     the entry is to be unpublished or deleted, which is not replayed

CHOICE is about conflicts:

  fail         nothing is written
  take-mine    the change set's value stays, and what was unpublished comes back
  take-theirs  the published value stays, and edits of what is gone are dropped`,
		Example: "  svc change-sets rebase chs_01h455vb4pex5vsknk084sn02q --on-conflict take-mine",
	}
	cmd.Flags().StringVar(&onConflict, "on-conflict", rebaseChoices[0], "what to do with conflicts: `CHOICE` is "+strings.Join(rebaseChoices, ", "))
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the plan and write nothing")
	cmd.Flags().BoolVar(&full, "full", false, "show the values of conflicts whole")
	a.addYes(cmd, "do not ask")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		if !slices.Contains(rebaseChoices, onConflict) {
			return usage("", "--on-conflict is %q; it may be %s", onConflict, strings.Join(rebaseChoices, ", "))
		}
		if !dryRun {
			if err := a.someoneToAsk(cmd.CommandPath()); err != nil {
				return err
			}
		}
		return a.rebase(ctx, args[0], rebasePlan{onConflict: onConflict, full: full}, dryRun)
	})
}

// rebase writes the plan that a person has agreed to. Others may publish while the person reads it, so the plan is made once more
// before it is written.
func (a *app) rebase(ctx context.Context, id string, plan rebasePlan, dryRun bool) error {
	onConflict := plan.onConflict
	rebase := func(dryRun bool) (wire.Rebased, error) {
		return ask(a, "rebasing", func() (wire.Rebased, error) {
			return a.client.Rebase(ctx, a.project, id, wire.Rebase{OnConflict: wire.Some(onConflict), DryRun: wire.Some(dryRun)})
		})
	}
	var agreed *rebasePlan
	for {
		answer, err := rebase(true)
		plan.Rebased = answer
		switch {
		case err != nil:
			return err
		case dryRun:
			return a.answer(answer, plan.show)
		case plan.refused():
			if agreed != nil {
				a.warn("the plan has changed since it was shown, and nothing was written")
			}
			return a.refuseRebase(plan)
		case len(plan.Items) == 0: // which is as good as written
			answer.DryRun = false
			return a.answer(answer, plan.show)
		case a.flags.yes || agreed != nil && plan.same(*agreed):
			if !a.asJSON {
				plan.names = a.namesOf(ctx, plan.edits())
			}
			return a.writeRebase(id, plan, agreed, func() (wire.Rebased, error) { return rebase(false) })
		case agreed == nil:
			a.tell(plan.show)
		case plan.looksLike(*agreed):
			a.warn("something was published meanwhile; the plan is still the one that was shown")
		default:
			a.warn("the plan has changed since it was shown; it is this now")
			a.tell(plan.show)
		}
		what := fmt.Sprintf("rebasing %q%s", plan.ChangeSet.Title, rebaseSides[onConflict].question)
		if agreed == nil {
			err = a.confirm(ctx, what)
		} else {
			err = a.confirmChanged(ctx, what, len(plan.Items), "entries")
		}
		if err != nil {
			return err
		}
		agreed = new(plan)
	}
}

// writeRebase tells what was written, in full where it is not what was agreed to: others can still publish in the last moment.
func (a *app) writeRebase(id string, done rebasePlan, agreed *rebasePlan, write func() (wire.Rebased, error)) error {
	a.uncertain = `it may have been rebased: "svc change-sets diff ` + id + `" tells`
	answer, err := write()
	if err != nil {
		return err
	}
	done.Rebased = answer
	if agreed != nil {
		switch {
		case done.same(*agreed):
		case done.looksLike(*agreed):
			a.warn(`something was published in the last moment; "svc change-sets diff %s" shows what came of the plan`, id)
		default:
			a.warn(`the plan changed in the last moment, and this was done; "svc change-sets diff %s" shows what came of it`, id)
			a.tell(done.show)
		}
	}
	return a.answer(answer, func(p *page) { p.rebased(done) })
}

// rebased tells what has become of each entry: those that build on what is published, those of whose edit nothing is left, and those
// that are not published any more.
func (p *page) rebased(done rebasePlan) {
	onPublished := 0
	var rest page
	for _, i := range done.Items {
		switch {
		case i.BaseRevisionID != nil:
			onPublished++
			if !done.changes(i) {
				rest.line("nothing is left of the edit of %s; %s", done.names.of(i.ResourceID), unstageHint(string(done.ChangeSet.ID), i.ResourceID))
			}
		case i.TargetRevisionID != nil:
			rest.line("%s %s, which publishing will publish again", p.paint(yellow, "kept"), done.names.of(i.ResourceID))
		default:
			became := "unpublished"
			if slices.ContainsFunc(i.Conflicts, func(c wire.RebaseConflict) bool { return c.Reason == "entry_deleted" }) {
				became = "deleted"
			}
			rest.line("%s %s, which has been %s", p.paint(yellow, "dropped"), done.names.of(i.ResourceID), became)
		}
	}
	p.line("%s %q: %s on what is published", p.paint(green, "rebased"), done.ChangeSet.Title, counted(onPublished, "entry now builds", "entries now build"))
	p.WriteString(rest.String())
	p.stale(done.Rebased)
}
