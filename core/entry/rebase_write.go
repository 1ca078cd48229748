package entry

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/diff"
	"svc/core/event"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/validate"
)

// write makes the plan of every item, and stages what it leads to.
func (r *rebase) write(ctx context.Context) error {
	if err := stageEach(ctx, r.staging, r.items, (*behind).sides, r.replay); err != nil {
		return err
	}
	if err := r.refuseConflicts(); err != nil {
		return err
	}
	if err := changeset.TakeOut(ctx, r.tx, r.set, r.dropped...); err != nil {
		return err
	}
	if err := r.staging.finish(ctx, r.unfit); err != nil || len(r.items) == 0 {
		return err
	}
	return r.report(ctx)
}

// replay makes the plan of an item, and stages what it leads to. Once the rebase is refused, only the other conflicts are of interest.
func (r *rebase) replay(ctx context.Context, b *behind, read revisions) (err error) {
	mine := read.of(b.target)
	b.slug = mine.Slug
	if b.plan, err = r.plan(ctx, b, read.of(b.base), mine, read.of(b.published)); err != nil {
		return err
	}
	if r.refused = r.refused || r.refuses(b); r.refused {
		clear(r.staging.drafts)
	} else if err := r.stage(ctx, b, mine); err != nil {
		return err
	}
	b.plan.Detach()
	return nil
}

func (r *rebase) stage(ctx context.Context, b *behind, mine storedRevision) error {
	if b.isGone() && r.take == TakeTheirs {
		r.dropped = append(r.dropped, b.id)
		return nil
	}
	f, err := r.staging.frame(ctx, b.collection)
	if err != nil {
		return err
	}
	s, named, items, err := r.compose(f, b, mine)
	if err != nil {
		return err
	}
	if len(items) > 0 {
		r.staging.problem(b.id, items...)
		r.unfit[b.id] = b.row
		return nil
	}
	r.staging.add(b.collection, s, named)
	return nil
}

// refuses reports whether the plan of an item has conflicts of which no side is taken, or mine of an entry that is deleted.
func (r *rebase) refuses(b *behind) bool {
	return len(b.plan.Conflicts) > 0 && (r.take == Fail || r.take == TakeMine && b.deleted)
}

// refuseConflicts is CONFLICT with the conflicts that refuse the rebase.
func (r *rebase) refuseConflicts() error {
	f := fault.New(fault.Conflict, "")
	for _, b := range r.items {
		if !r.refuses(b) {
			continue
		}
		f.EntryIDs = append(f.EntryIDs, string(b.id))
		for _, c := range b.plan.Conflicts {
			f.Items = append(f.Items, fault.Item{
				Path: c.Path.InEntry(), Code: conflictCode(c.Reason), Message: conflictMessages[c.Reason],
				ResourceType: string(content.ResourceEntry), ResourceID: string(b.id),
			})
		}
	}
	if len(f.Items) == 0 {
		return nil
	}
	f.Detail = fmt.Sprintf("the edits conflict with what is published in %s; say which side to take with onConflict. The first: %s",
		schema.Count(len(f.Items), "place"), f.Items[0])
	if r.take == TakeMine {
		f.Detail = fmt.Sprintf("mine cannot be taken of entries that are deleted. The first: %s", f.Items[0])
	}
	return f
}

// conflictMessages say what is wrong, by reason.
var conflictMessages = map[diff.Reason]string{
	"":                "was changed in the change set, and is published with another change",
	diff.FieldRemoved: "was changed in the change set, and the schema no longer has this field, or one inside it",
	diff.FieldRetyped: "was changed in the change set, and the schema has given this field, or one inside it, another type",
	EntryUnpublished:  "was changed in the change set, and the entry has been unpublished",
	EntryDeleted:      "was changed in the change set, and the entry has been deleted: take this edit out of the change set, take theirs to drop it, or undelete the entry in another change set and then take mine",
}

func conflictCode(r diff.Reason) string {
	if r == "" {
		return "conflict"
	}
	return string(r)
}

// compose makes the draft that an item's plan leads to.
func (r *rebase) compose(f frame, b *behind, mine storedRevision) (s staged, m mentions, items []fault.Item, err error) {
	merged, slug := mine.Fields, mine.Slug
	if !b.isGone() {
		if merged, err = b.plan.Resolve(diff.Take(r.take == TakeMine)); err != nil {
			return s, m, nil, err
		}
		if slug, err = slugOf(f, b.plan, merged); err != nil {
			var bad *fault.Error
			if errors.As(err, &bad) && len(bad.Items) > 0 {
				return s, m, bad.Items, nil
			}
			return s, m, nil, err
		}
	}
	if r.take == TakeMine && !b.isGone() {
		if items, err = validate.Undeclared(f.schema, f.locales, merged, slug); err != nil {
			return s, m, nil, err
		}
		for i := range items {
			items[i].Code, items[i].Message = string(diff.FieldRemoved), "cannot be kept, since the schema no longer has this: take theirs, or edit the entry in the change set, which drops the value"
		}
	}
	made, misfits, err := f.renew(merged, slug)
	if items = append(items, misfits...); err != nil || len(items) > 0 {
		return s, m, items, err
	}
	m, err = f.mentions(made.fields, editsOf(b.plan, r.take))
	return staged{
		head: &head{row: b.row, on: baseline{revision: b.target}, base: b.published}, set: r.set, draft: made, summary: mine.summary,
	}, m, nil, err
}

// slugOf is the slug of what was merged.
func slugOf(f frame, plan *diff.Plan, merged jsontext.Value) (*string, error) {
	if slug, beside, err := plan.Slug(merged); err != nil || beside {
		return slug, err
	}
	w, err := f.slugIntentOf(merged, nil)
	return w.slug, err
}

// editsOf are the top-level fields in which a plan writes what is mine.
func editsOf(p *diff.Plan, take OnConflict) map[string]bool {
	names := map[string]bool{}
	for _, c := range p.Replayed {
		names[c.Path[0].Name] = true
	}
	for _, c := range p.Conflicts {
		if take == TakeMine && len(c.Path) > 0 {
			names[c.Path[0].Name] = true
		}
	}
	return names
}

// report notes what was done in the audit trail.
func (r *rebase) report(ctx context.Context) error {
	return event.Audit(ctx, r.tx, r.actor, event.Record{
		Organization: r.targets.Project.Organization, Project: r.set.Project, Action: event.ChangeSetRebase, Subject: string(r.set.ID),
		Detail: map[string]int{"items": len(r.items)},
	})
}
