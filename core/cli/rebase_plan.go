package cli

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mattn/go-runewidth"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/problem"
)

// rebasePlan is what a rebase does, or has done, with the choice of whose values to take.
type rebasePlan struct {
	wire.Rebased
	onConflict string
	full       bool          // values are shown whole
	names      resourceNames // of the edits, for a person
}

// edits are the items of a plan as those of its change set.
func (r rebasePlan) edits() []wire.Item {
	edits := make([]wire.Item, len(r.Items))
	for n, i := range r.Items {
		edits[n] = wire.Item{ResourceType: i.ResourceType, ResourceID: i.ResourceID, Collection: i.Collection, Slug: i.Slug}
	}
	return edits
}

// same tells whether two plans do the same, written or not.
func (r rebasePlan) same(other rebasePlan) bool {
	items := func(plan rebasePlan) []wire.RebasedItem {
		items := slices.Clone(plan.Items)
		for i := range items {
			items[i].TargetRevisionID = nil
		}
		return items
	}
	return reflect.DeepEqual(items(r), items(other)) && slices.Equal(r.Stale, other.Stale)
}

// looksLike tells whether two plans are shown alike: what differs is not about the edits.
func (r rebasePlan) looksLike(other rebasePlan) bool {
	var one, two page
	r.show(&one)
	other.show(&two)
	return one.String() == two.String()
}

// undecided tells whether there are conflicts, and no choice.
func (r rebasePlan) undecided() bool {
	return r.onConflict == rebaseChoices[0] && slices.ContainsFunc(r.Items, func(i wire.RebasedItem) bool { return len(i.Conflicts) > 0 })
}

// refused tells whether the plan cannot be written.
func (r rebasePlan) refused() bool { return len(r.Errors) > 0 || r.undecided() }

// changes tells whether an edit still changes what is published: something of it is replayed, or taken from a conflict.
func (r rebasePlan) changes(i wire.RebasedItem) bool {
	return len(i.Replayed) > 0 || slices.ContainsFunc(i.Conflicts, func(c wire.RebaseConflict) bool { return winner(c, r.onConflict) == "mine" })
}

// winner is the side that a choice takes the value of, if any: what the schema has no field for cannot be kept.
func winner(c wire.RebaseConflict, onConflict string) string {
	taken := rebaseSides[onConflict].taken
	if c.Reason == "field_removed" && taken == "mine" && !isNone(c.Mine) {
		return ""
	}
	return taken
}

// chooseSide is what to do about conflicts.
const chooseSide = "say whose values to take: --on-conflict take-mine, or --on-conflict take-theirs"

// refuseRebase shows a plan that cannot be written, and is the failure of it. A person has seen its conflicts in the plan.
func (a *app) refuseRebase(plan rebasePlan) error {
	f := &failure{exit: ExitFailed, Code: string(fault.Conflict), Errors: issuesOf(plan.Errors)}
	f.Detail = "the rebase cannot be written for " + counted(len(f.Errors), "reason", "reasons")
	if len(f.Errors) == 1 {
		only := f.Errors[0]
		where := strings.Join(nonEmpty(only.ResourceID, only.Path), " ")
		f.Detail = "the rebase cannot be written: " + strings.Join(nonEmpty(where, only.Message), ": ")
	}
	if plan.undecided() {
		for _, i := range plan.Items {
			for _, c := range i.Conflicts {
				f.Errors = append(f.Errors, issue{Issue: problem.Issue{
					Path: c.Path, Code: cmp.Or(c.Reason, "conflict"), Message: cmp.Or(plan.reason(i, c), "both sides changed it differently"),
					ResourceType: string(i.ResourceType), ResourceID: i.ResourceID,
				}})
			}
		}
		f.Detail, f.Hint = "the edits conflict with what is published in "+counted(len(f.Errors), "place", "places"), chooseSide
	}
	a.tell(func(p *page) {
		plan.items(p)
		(&failure{Code: f.Code, Detail: f.Detail, Errors: issuesOf(plan.Errors), Hint: f.Hint}).show(p)
	})
	f.told = true
	return f
}

// reason says what is wrong with an edit where not two values alone conflict, and how to drop it where its entry is deleted.
func (r rebasePlan) reason(i wire.RebasedItem, c wire.RebaseConflict) string {
	if c.Reason == "entry_deleted" {
		return "the entry has been deleted; " + unstageHint(string(r.ChangeSet.ID), i.ResourceID) + ", or take theirs, of the whole set, to drop the edit"
	}
	return conflictReasons[c.Reason]
}

// conflictReasons are those that are the same of every edit.
var conflictReasons = map[string]string{
	"field_removed": "the schema no longer has this field, or one inside it", "field_retyped": "the schema has given this field, or one inside it, another type",
	"entry_unpublished": "the entry has been unpublished",
}

// rebaseSides are what each choice says in a question, and the side that wins.
var rebaseSides = map[string]struct{ question, taken string }{
	"take-mine":   {", taking mine where both changed", "mine"},
	"take-theirs": {", taking theirs where both changed", "theirs"},
}

// show tells what a rebase does, edit by edit, and of a dry run whether it would be refused.
func (r rebasePlan) show(p *page) {
	r.items(p)
	if r.undecided() && r.DryRun {
		p.labelled(yellow, "conflicts:", "without --dry-run this is refused; "+chooseSide)
	}
	if len(r.Errors) > 0 {
		p.labelled(red, "errors:", "without --dry-run this is refused")
		p.issues(issuesOf(r.Errors))
	}
}

func (r rebasePlan) items(p *page) {
	switch {
	case len(r.Items) > 0:
	case len(r.Stale) > 0:
		p.line("No edit to replay in %q, but %s stale:", r.ChangeSet.Title, counted(len(r.Stale), "item is", "items are"))
	default:
		p.line("Nothing to replay: no edit of %q is behind what is published.", r.ChangeSet.Title)
	}
	shortened := false
	for _, i := range r.Items {
		p.line("%s", painted(strings.Join(nonEmpty(clean(i.Collection), string(p.paint(bold, deref(i.Slug))), string(p.paint(dim, i.ResourceID))), gap)))
		for _, c := range i.Replayed {
			p.line("%s%s %s", gap, p.paint(green, "replayed"), c.Path)
		}
		for _, c := range i.Agreed {
			p.line("%s%s %s", gap, p.paint(dim, "agreed"), c.Path)
		}
		for _, c := range i.Conflicts {
			shortened = r.conflict(p, i, c) || shortened
		}
		if len(i.Replayed)+len(i.Agreed)+len(i.Conflicts) == 0 {
			p.line("%s%s", gap, p.paint(dim, "nothing differs from what is published"))
		}
	}
	if shortened {
		p.line("%s", p.paint(dim, "--full shows the values whole"))
	}
	p.stale(r.Rebased)
}

// stale lists what a rebase does not replay, for there are no edits in it.
func (p *page) stale(r wire.Rebased) {
	for _, id := range r.Stale {
		p.line("%s %s: something else is published now than when it was staged to be taken away", p.paint(yellow, "stale"), string(id))
		p.line("%s%s", gap, unstageHint(string(r.ChangeSet.ID), string(id)))
		p.line(`%s"svc entries unpublish %s --change-set %s", or delete, stages it again`, gap, string(id), string(r.ChangeSet.ID))
	}
}

// outcomes say what comes of the edit of an entry that is gone, by the reason and the side that wins.
var outcomes = map[[2]string]string{
	{"entry_unpublished", "mine"}:   "the entry has been unpublished; publishing will publish it again with all its fields",
	{"entry_unpublished", "theirs"}: "the entry has been unpublished; the edit is dropped",
	{"entry_deleted", "theirs"}:     "the entry has been deleted; the edit is dropped",
}

// conflict shows the values of the three sides, one line each unless they are to be full, and which one is taken, if any. Where the
// entry as a whole is in conflict, they are all of its fields, which would say nothing in a line. It tells whether not all of a value is
// there.
func (r rebasePlan) conflict(p *page, i wire.RebasedItem, c wire.RebaseConflict) (shortened bool) {
	taken, wins := winner(c, r.onConflict), rebaseSides[r.onConflict].taken
	reason := cmp.Or(outcomes[[2]string{c.Reason, wins}], r.reason(i, c))
	if strings.HasPrefix(c.Reason, "entry_") {
		p.line("%s%s %s", gap, p.paint(red, "conflict:"), reason)
		return false
	}
	if taken != wins {
		reason += ", so mine cannot be kept"
	}
	p.line("%s%s %s", gap, p.paint(red, "conflict"), strings.Join(nonEmpty(c.Path, reason), ": "))
	sides, label := []string{"base", "mine", "theirs"}, 0
	for n, side := range sides {
		if side == taken {
			sides[n] += " (taken)"
		}
		label = max(label, len(sides[n])+1)
	}
	values := []jsontext.Value{c.Base, c.Mine, c.Theirs}
	lines := excerpts(cmp.Or(p.width, sideBySide)-len(gap+gap)-label, c.Base, c.Mine, c.Theirs)
	for n, side := range sides {
		if !r.full || isNone(values[n]) {
			p.line("%s%-*s%s", gap+gap, label, side, lines[n])
			shortened = shortened || !isNone(values[n]) && lines[n] != clean(shown(values[n]))
			continue
		}
		p.line("%s%s", gap+gap, side)
		text, _ := whole(values[n], plain, true)
		for _, line := range text {
			p.behind(gap+gap+gap, line)
		}
	}
	return shortened
}

// excerpts are the values of a conflict in so many columns each; – is none. Long ones are shown from shortly before the place where
// they begin to differ: mine and theirs each from base, or from each other where there is no base, and base from the first of the two.
func excerpts(width int, base, mine, theirs jsontext.Value) []string {
	var texts [3][]rune
	long := false
	for n, v := range []jsontext.Value{base, mine, theirs} {
		if !isNone(v) {
			texts[n] = []rune(clean(shown(v)))
			long = long || runewidth.StringWidth(string(texts[n])) > width
		}
	}
	var places [3]int
	if long {
		places = differences(texts)
	}
	lines := make([]string, len(texts))
	for n, v := range []jsontext.Value{base, mine, theirs} {
		lines[n] = "–"
		if !isNone(v) {
			lines[n] = runewidth.Truncate(from(texts[n], places[n], width*2/3), width, "…")
		}
	}
	return lines
}

// differences are where base, mine and theirs begin to differ, as excerpts says; 0 where there is nothing to differ from.
func differences(texts [3][]rune) (places [3]int) {
	base, mine, theirs := texts[0], texts[1], texts[2]
	first := func(a, b []rune) int {
		if a == nil || b == nil {
			return 0
		}
		return commonPrefix(a, b)
	}
	if base == nil {
		place := first(mine, theirs)
		return [3]int{0, place, place}
	}
	places[1], places[2] = first(base, mine), first(base, theirs)
	switch places[0] = min(places[1], places[2]); {
	case mine == nil || slices.Equal(base, mine):
		places[0] = places[2]
	case theirs == nil || slices.Equal(base, theirs):
		places[0] = places[1]
	}
	return places
}

// from is a text from shortly before a place on, which is at most so many columns in.
func from(text []rune, place, columns int) string {
	const context = contextLength / 3
	begin := wordBefore(string(text[:max(0, place-context)]), context)
	if begin == 0 {
		return string(text)
	}
	before := string(text[:place])[begin:]
	if over := runewidth.StringWidth(before) - columns; over > 0 {
		before = runewidth.TruncateLeft(before, over, "")
	}
	return "… " + before + string(text[place:])
}

// wordBefore is where the last word of a text begins, or its end where that is further away.
func wordBefore(text string, most int) int {
	if space := strings.LastIndexByte(text, ' '); space >= len(text)-most {
		return space + 1
	}
	return len(text)
}
