package cli

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/problem"
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
the plan and asks, again where others have published before the answer; elsewhere than on a terminal --yes is needed. An edit of
a field that the others left alone is replayed; where both sides changed it differently, --on-conflict says whose value to take,
and by default nothing is written. --dry-run only shows the plan.`,
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

// rebase writes the plan that a person has agreed to. Others may publish while the person reads it, so the plan is made once more
// before it is written.
func (a *app) rebase(ctx context.Context, id, onConflict string, dryRun bool) error {
	rebase := func(dryRun bool) (wire.Rebased, error) {
		return ask(a, "rebasing", func() (wire.Rebased, error) {
			return a.client.Rebase(ctx, a.project, id, wire.Rebase{OnConflict: wire.Some(onConflict), DryRun: wire.Some(dryRun)})
		})
	}
	var agreed *wire.Rebased
	for {
		plan, err := rebase(true)
		switch {
		case err != nil:
			return err
		case dryRun || len(plan.Items) == 0:
			return a.answer(plan, func(p *page) { p.rebasePlan(plan) })
		case onConflict == rebaseChoices[0] && conflicting(plan):
			return a.refuseConflicts(plan)
		case a.flags.yes || agreed != nil && samePlan(plan, *agreed):
			return a.writeRebase(id, agreed, func() (wire.Rebased, error) { return rebase(false) })
		case agreed != nil:
			a.warn("the plan has changed since it was shown; it is this now")
		}
		a.tell(func(p *page) { p.rebasePlan(plan) })
		if err := a.confirm(ctx, "rebasing "+plan.ChangeSet.Title); err != nil {
			return err
		}
		agreed = &plan
	}
}

// writeRebase tells what was written, in full where it is not what was agreed to: others can still publish in the last moment.
func (a *app) writeRebase(id string, agreed *wire.Rebased, write func() (wire.Rebased, error)) error {
	a.uncertain = `it may have been rebased: "svc change-sets diff ` + id + `" tells`
	done, err := write()
	if err != nil {
		return err
	}
	if agreed != nil && !samePlan(done, *agreed) {
		a.warn(`the plan changed in the last moment, and this was done; "svc change-sets diff %s" shows what came of it`, id)
		a.tell(func(p *page) { p.rebasePlan(done) })
	}
	return a.answer(done, func(p *page) {
		p.line("%s %q: %s on what is published now", p.paint(green, "rebased"), done.ChangeSet.Title, counted(len(done.Items), "item is", "items are"))
	})
}

// samePlan tells whether two plans do the same, written or not.
func samePlan(a, b wire.Rebased) bool {
	items := func(plan wire.Rebased) []wire.RebasedItem {
		items := slices.Clone(plan.Items)
		for i := range items {
			items[i].TargetRevisionID = nil
		}
		return items
	}
	return reflect.DeepEqual(items(a), items(b)) && slices.Equal(a.Stale, b.Stale)
}

func conflicting(plan wire.Rebased) bool {
	return slices.ContainsFunc(plan.Items, func(i wire.RebasedItem) bool { return len(i.Conflicts) > 0 })
}

// refuseConflicts shows a plan that needs a choice, and is the failure of it. A person has seen its errors in the plan.
func (a *app) refuseConflicts(plan wire.Rebased) error {
	f := &failure{exit: ExitFailed, Code: string(fault.Conflict), Hint: "say whose values to take: --on-conflict take-mine, or --on-conflict take-theirs"}
	for _, i := range plan.Items {
		for _, c := range i.Conflicts {
			f.Errors = append(f.Errors, issue{Issue: problem.Issue{
				Path: c.Path, Code: cmp.Or(c.Reason, "conflict"), Message: cmp.Or(conflictReasons[c.Reason], "both sides changed it differently"),
				ResourceType: string(i.ResourceType), ResourceID: i.ResourceID,
			}})
		}
	}
	f.Detail = "the edits conflict with what is published in " + counted(len(f.Errors), "place", "places")
	a.tell(func(p *page) {
		p.rebasePlan(plan)
		(&failure{Code: f.Code, Detail: f.Detail, Hint: f.Hint}).show(p)
	})
	f.told = true
	return f
}

// conflictReasons say what is wrong where not two values alone conflict.
var conflictReasons = map[string]string{
	"field_removed": "the schema has no such field any more", "field_retyped": "the schema has given the field another type",
	"entry_unpublished": "the entry has been unpublished", "entry_deleted": "the entry has been deleted; take theirs to drop the edit",
}

// rebasePlan tells what a rebase does, edit by edit.
func (p *page) rebasePlan(plan wire.Rebased) {
	if len(plan.Items) == 0 {
		p.line("Nothing to replay: no edit of %q is behind what is published.", plan.ChangeSet.Title)
	}
	for _, i := range plan.Items {
		p.line("%s", painted(strings.Join(nonEmpty(clean(i.Collection), string(p.paint(bold, deref(i.Slug))), string(p.paint(dim, i.ResourceID))), gap)))
		for _, c := range i.Replayed {
			p.line("%s%s %s", gap, p.paint(green, "replayed"), c.Path)
		}
		for _, c := range i.Agreed {
			p.line("%s%s %s", gap, p.paint(dim, "agreed"), c.Path)
		}
		for _, c := range i.Conflicts {
			p.conflict(c)
		}
	}
	for _, id := range plan.Stale {
		p.line("%s %s: something else is published now than when it was staged to be taken away; stage it again", p.paint(yellow, "stale"), string(id))
	}
}

// conflict shows the values of the three sides, one line each. Where the entry as a whole is in conflict, they are all of its fields,
// which would say nothing in a line.
func (p *page) conflict(c wire.RebaseConflict) {
	reason := conflictReasons[c.Reason]
	if strings.HasPrefix(c.Reason, "entry_") {
		p.line("%s%s %s", gap, p.paint(red, "conflict"), reason)
		return
	}
	p.line("%s%s %s", gap, p.paint(red, "conflict"), strings.Join(nonEmpty(c.Path, reason), ": "))
	const label = "theirs "
	lines := excerpts(cmp.Or(p.width, sideBySide)-len(gap+gap+label), c.Base, c.Mine, c.Theirs)
	for n, side := range []string{"base", "mine", "theirs"} {
		p.line("%s%-*s%s", gap+gap, len(label), side, lines[n])
	}
}

// excerpts are values in so many columns each; – is none. Long values with the same beginning are shown from shortly before the place
// where they begin to differ.
func excerpts(width int, values ...jsontext.Value) []string {
	texts, there, long := make([]string, len(values)), 0, false
	var same []rune // what all begin with
	for n, v := range values {
		if isNone(v) {
			texts[n] = "–"
			continue
		}
		texts[n] = clean(shown(v))
		long = long || runewidth.StringWidth(texts[n]) > width
		if there++; there == 1 {
			same = []rune(texts[n])
		}
		same = same[:commonPrefix(same, []rune(texts[n]))]
	}
	const context = contextLength / 3
	if from := wordBefore(string(same[:max(0, len(same)-context)]), context); long && there > 1 && from > 0 {
		for n, t := range texts {
			if t != "–" {
				texts[n] = "… " + t[from:]
			}
		}
	}
	for n, t := range texts {
		texts[n] = runewidth.Truncate(t, width, "…")
	}
	return texts
}

// wordBefore is where the last word of a text begins, or its end where that is further away.
func wordBefore(text string, most int) int {
	if space := strings.LastIndexByte(text, ' '); space >= len(text)-most {
		return space + 1
	}
	return len(text)
}

func commonPrefix(a, b []rune) int {
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			return n
		}
	}
	return min(len(a), len(b))
}
