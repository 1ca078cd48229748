package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"svc/core/wire"
)

// rebaseChoices are what --on-conflict takes.
var rebaseChoices = []string{"fail", "take-mine", "take-theirs"}

func (a *app) changeSetRebaseCommand() *cobra.Command {
	var onConflict string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rebase CHANGE-SET",
		Short: "Replay a change set on what is published now",
		Long: `Replay the edits of a change set on what is published now, after others have published some of the same entries. It shows
the plan and asks; elsewhere than on a terminal --yes is needed. An edit of a field that the others left alone is replayed; where
both sides changed it differently, --on-conflict says whose value to take, and by default nothing is written. --dry-run only
shows the plan.`,
		Example: "  svc change-sets rebase chs_01h455vb4pex5vsknk084sn02q --on-conflict take-mine",
	}
	cmd.Flags().StringVar(&onConflict, "on-conflict", rebaseChoices[0], "what to do with conflicts: `CHOICE` is "+strings.Join(rebaseChoices, ", "))
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the plan and write nothing")
	a.addYes(cmd, "do not ask")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if dryRun {
			return nil
		}
		return a.someoneToAsk(cmd.CommandPath())
	}
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		if !slices.Contains(rebaseChoices, onConflict) {
			return usage("", "--on-conflict is %q; it may be %s", onConflict, strings.Join(rebaseChoices, ", "))
		}
		return a.rebase(ctx, args[0], onConflict, dryRun)
	})
}

func (a *app) rebase(ctx context.Context, id, onConflict string, dryRun bool) error {
	rebase := func(dryRun bool) (wire.Rebased, error) {
		return ask(a, "rebasing", func() (wire.Rebased, error) {
			return a.client.Rebase(ctx, a.project, id, wire.Rebase{OnConflict: wire.Some(onConflict), DryRun: wire.Some(dryRun)})
		})
	}
	plan, err := rebase(true)
	if err != nil {
		return err
	}
	if dryRun || len(plan.Items) == 0 {
		return a.answer(plan, func(p *page) { p.rebasePlan(plan) })
	}
	conflicts := slices.ContainsFunc(plan.Items, func(i wire.RebasedItem) bool { return len(i.Conflicts) > 0 })
	if !a.flags.yes && !(conflicts && onConflict == rebaseChoices[0]) { // which is refused, with all of them
		a.tell(func(p *page) { p.rebasePlan(plan) })
		if err := a.confirm(ctx, "rebasing "+plan.ChangeSet.Title); err != nil {
			return err
		}
	}
	a.uncertain = `it may have been rebased: "svc change-sets diff ` + id + `" tells`
	done, err := rebase(false)
	if err != nil {
		return err
	}
	return a.answer(done, func(p *page) {
		p.line("%s %s: %s on what is published now", p.paint(green, "rebased"), done.ChangeSet.Title, counted(len(done.Items), "item is", "items are"))
	})
}

// rebasePlan tells what a rebase does, edit by edit.
func (p *page) rebasePlan(plan wire.Rebased) {
	if len(plan.Items) == 0 {
		p.line("Nothing to replay: no edit of %s is behind what is published.", plan.ChangeSet.Title)
	}
	for _, i := range plan.Items {
		p.line("%s%s%s", i.Collection, gap, p.paint(bold, i.ResourceID))
		for _, c := range i.Replayed {
			p.line("%s%s %s", gap, p.paint(green, "replayed"), c.Path)
		}
		for _, c := range i.Agreed {
			p.line("%s%s %s", gap, p.paint(dim, "agreed"), c.Path)
		}
		for _, c := range i.Conflicts {
			p.line("%s%s %s", gap, p.paint(red, "conflict"), strings.Join(nonEmpty(c.Path, strings.ReplaceAll(c.Reason, "_", " ")), ": "))
			p.side("mine   ", c.Mine)
			p.side("theirs ", c.Theirs)
		}
	}
	for _, id := range plan.Stale {
		p.line("%s %s: something else is published now than when it was staged to be taken away; stage it again", p.paint(yellow, "stale"), string(id))
	}
}

// side adds the first lines of one side of a conflict behind its name, and nothing where it has no value.
func (p *page) side(name string, raw jsontext.Value) {
	lines, _ := whole(raw, plain, false)
	for _, l := range lines {
		p.behind(gap+gap+name, l)
		name = strings.Repeat(" ", len(name))
	}
}
