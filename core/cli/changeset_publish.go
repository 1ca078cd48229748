package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
)

// published is a change set that has become a release.
type published struct {
	ChangeSet     wire.ChangeSet `json:"changeSet"`
	ReleaseNumber *uint64        `json:"releaseNumber"`
	// ItemCount is that of the release; null where the credential may not read it.
	ItemCount         *int              `json:"itemCount"`
	PublishedEntryIDs []content.EntryID `json:"publishedEntryIds"`
	// Everywhere tells whether every edge has the release; null where that was not asked for.
	Everywhere *bool          `json:"everywhere"`
	Warnings   []wire.Warning `json:"warnings"`
}

func (a *app) changeSetPublishCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish CHANGE-SET",
		Short: "Publish a change set as the next release",
		Long: `Publish a change set as the next release of the project: all of it in one step, or nothing. On a terminal it shows
how much is staged and what is to be known about it, and asks, again where something else is staged before the answer; elsewhere
--yes is needed. A change set that does not validate exits with 4. With --wait it returns
once every edge that holds the project has the release, or says that some edge was not there in time.`,
	}
	a.addYes(cmd, "do not ask")
	a.addWait(cmd)
	return a.inProject(cmd, publish, func(ctx context.Context, args []string) error {
		if err := cmp.Or(checkChangeSet(args[0]), a.someoneToAsk(cmd.CommandPath())); err != nil {
			return err
		}
		if !a.flags.yes {
			if err := a.agreeToPublish(ctx, args[0]); err != nil {
				return err
			}
		}
		return a.publish(ctx, args[0])
	})
}

func (a *app) publish(ctx context.Context, id string) error {
	a.uncertain = `it may have been published: "svc change-sets show ` + id + `" tells`
	var everywhere *bool
	answer, err := ask(a, "publishing", func() (wire.Published, error) {
		answer, there, err := a.client.PublishEverywhere(ctx, a.project, id, a.flags.wait)
		if a.flags.wait > 0 {
			everywhere = &there
		}
		return answer, err
	})
	if err != nil {
		return a.refusedPublish(ctx, id, a.explain(err))
	}
	out := published{
		answer.ChangeSet, answer.ChangeSet.ReleaseNumber, a.itemCount(ctx, answer), answer.Entries, everywhere, answer.Warnings,
	}
	names := a.namesOf(ctx, a.itemsOf(ctx, id, !a.asJSON && len(out.Warnings) > 0))
	return a.answer(out, func(p *page) {
		items := ""
		if out.ItemCount != nil {
			items = ": " + counted(*out.ItemCount, "item", "items")
		}
		p.line("%s %q as release %s of %s%s", p.paint(green, "published"), out.ChangeSet.Title,
			p.paint(bold, releaseText(out.ReleaseNumber)), a.project, items)
		p.showEverywhere(everywhere)
		p.changeSetWarnings(out.Warnings, names)
	})
}

// refusedPublish names the entries of a refusal, and adds what to do about it, and where all of its findings are listed if they are too
// many here.
func (a *app) refusedPublish(ctx context.Context, id string, f *failure) error {
	if f.Code == string(fault.PublishValidationFailed) {
		items := a.itemsOf(ctx, id, len(f.Errors) > 0)
		names := a.namesOf(ctx, items)
		f.name(names)
		inFull := ""
		if len(f.Errors) > maxShown {
			inFull = `"svc change-sets validate ` + id + `" lists everything that is wrong`
		}
		f.Hint = strings.Join(nonEmpty(append([]string{inFull}, staleHints(id, items, staleFindings(f.Errors), names)...)...), "; ")
	}
	return f
}

// itemsOf reads everything that is staged in a set, where something is to be told about it. What cannot be read is none: the rest is told
// all the same.
func (a *app) itemsOf(ctx context.Context, id string, needed bool) []wire.Item {
	if !needed {
		return nil
	}
	items, _, err := a.client.RecentItems(ctx, a.project, id, 0)
	if err != nil {
		return nil
	}
	return items
}

// staleFindings are the resources of which something else has been published than what was staged on.
func staleFindings(found []issue) (ids []string) {
	for _, i := range found {
		if i.Code == string(fault.StaleRevision) {
			ids = append(ids, i.ResourceID)
		}
	}
	return ids
}

// staleHints say how to go on with what is stale: a rebase replays edits, and what is to be unpublished or deleted is taken out. What is
// not among the items is taken for an edit.
func staleHints(id string, items []wire.Item, stale []string, names resourceNames) (hints []string) {
	removals := map[string]string{}
	for _, i := range items {
		removals[i.ResourceID] = removalWords[i.Operation]
	}
	var gone []string
	for _, resource := range stale {
		if removals[resource] != "" {
			gone = append(gone, resource)
		}
	}
	if len(gone) < len(stale) {
		hints = append(hints, `"svc change-sets rebase `+id+`" replays the edits on what is published`)
	}
	switch len(gone) {
	case 0:
	case 1:
		hints = append(hints, fmt.Sprintf("%s is staged to be %s, which a rebase does not replay; %s", names.of(gone[0]), removals[gone[0]], unstageHint(id, gone[0])))
	default:
		hints = append(hints, fmt.Sprintf(`%s are staged to be unpublished or deleted, which a rebase does not replay; "svc change-sets unstage %s RESOURCE" takes each out`, count(len(gone)), id))
	}
	return hints
}

// removalWords are what becomes of an entry by the operations that take it away.
var removalWords = map[content.Operation]string{content.OperationUnpublish: "unpublished", content.OperationDelete: "deleted"}

// itemCount asks how much is in the release. It is published whatever the answer is, so there is none for a failure.
func (a *app) itemCount(ctx context.Context, p wire.Published) *int {
	if p.ChangeSet.ReleaseNumber == nil {
		return nil
	}
	release, err := a.client.Release(ctx, a.project, *p.ChangeSet.ReleaseNumber)
	if err != nil {
		return nil
	}
	return &release.ItemCount
}

// validation is what publishing a change set would be refused for.
type validation struct {
	ChangeSetID string         `json:"changeSetId"`
	Valid       bool           `json:"valid"`
	Detail      string         `json:"detail,omitempty"`
	Errors      []issue        `json:"errors"`
	Warnings    []wire.Warning `json:"warnings"`
}

func (p *page) changeSetWarnings(all []wire.Warning, names resourceNames) {
	for _, w := range all {
		var ids []string
		for _, id := range w.ReferencedBy {
			ids = append(ids, string(id))
		}
		p.labelled(yellow, "warning:", names.of(w.ResourceID)+gap+w.Message+": "+strings.Join(ids, ", "))
	}
}

func (a *app) changeSetValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate CHANGE-SET",
		Short: "Tell what publishing would be refused for",
		Long:  "Tell what publishing would be refused for; nothing is changed. A change set that does not validate exits with 4; warnings keep none from being published.",
	}
	return a.inProject(cmd, publish, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		answer, err := ask(a, "validating", func() (wire.Validation, error) { return a.client.Validate(ctx, a.project, args[0]) })
		if err != nil {
			return err
		}
		v := validation{args[0], answer.Valid, answer.Detail, issuesOf(answer.Errors), answer.Warnings}
		items := a.itemsOf(ctx, args[0], !a.asJSON && len(v.Errors)+len(v.Warnings) > 0)
		names := a.namesOf(ctx, items)
		return cmp.Or(a.answer(v, func(p *page) { v.show(p, items, names) }), outcome(!v.Valid, ExitValidation))
	})
}

func (v validation) show(p *page, items []wire.Item, names resourceNames) {
	defer p.changeSetWarnings(v.Warnings, names)
	switch {
	case v.Valid:
		p.line("%s: %s can be published", p.paint(green, "valid"), v.ChangeSetID)
		return
	case len(v.Errors) == 0:
		p.line("%s: %s", p.paint(red, "not valid"), v.Detail)
		return
	}
	p.line("%s: %s", p.paint(red, "not valid"), counted(len(v.Errors), "error", "errors"))
	var t table
	t.row(plain, "RESOURCE", "PATH", "CODE", "MESSAGE")
	for _, e := range v.Errors {
		t.row(yellow, orDash(names.of(e.ResourceID)), orDash(e.Path), orDash(e.Code), e.Message)
	}
	p.table(t)
	for _, hint := range staleHints(v.ChangeSetID, items, staleFindings(v.Errors), names) {
		p.labelled(cyan, "hint:", hint)
	}
}

func checkChangeSet(id string) error {
	if !content.IsID[content.ChangeSetID](id) {
		return usage(`"svc change-sets list" shows the ids`, "%q is no id of a change set (chs_…)", id)
	}
	return nil
}
