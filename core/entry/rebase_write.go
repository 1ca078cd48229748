package entry

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/diff"
	"svc/core/event"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// write stages what the plans lead to.
func (r *rebase) write(ctx context.Context) error {
	if err := r.refuseConflicts(); err != nil {
		return err
	}
	staging := map[string][]staged{}
	var problems []fault.Item
	var named []mentions
	var owners []content.EntryID // of named
	for _, b := range r.items {
		if b.dropped = b.isGone() && r.take == TakeTheirs; b.dropped {
			if err := changeset.TakeOut(ctx, r.tx, r.set, b.id); err != nil {
				return err
			}
			continue
		}
		f, err := r.frame(ctx, b.collection)
		if err != nil {
			return err
		}
		s, m, items, err := r.compose(f, b)
		if err != nil {
			return err
		}
		problems = append(problems, about(b.id, items)...)
		named, owners = append(named, m), append(owners, b.id)
		staging[b.collection] = append(staging[b.collection], s)
	}
	found, err := findMentioned(ctx, r.tx, r.set.Project, named...)
	if err != nil {
		return err
	}
	for n, m := range named {
		problems = append(problems, about(owners[n], found.misfits(m))...)
	}
	if len(problems) > 0 {
		return invalid(problems)
	}
	for collection, all := range staging {
		if err := r.frames[collection].store(ctx, r.tx, r.actor, r.set.Project, all); err != nil {
			return err
		}
	}
	return r.report(ctx)
}

// about says that findings are about an entry.
func about(entry content.EntryID, items []fault.Item) []fault.Item {
	for n := range items {
		items[n].ResourceType, items[n].ResourceID = string(content.ResourceEntry), string(entry)
	}
	return items
}

// refuseConflicts is CONFLICT where conflicts are left, and where mine is to be taken of an entry that is deleted.
func (r *rebase) refuseConflicts() error {
	f := fault.New(fault.Conflict, "")
	for _, b := range r.items {
		if r.take == TakeTheirs || r.take == TakeMine && !b.deleted || len(b.plan.Conflicts) == 0 {
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
	return f
}

// conflictMessages say what is wrong, by reason.
var conflictMessages = map[diff.Reason]string{
	"":                "was changed in the change set, and is published with another change",
	diff.FieldRemoved: "was changed in the change set, and the schema has no such field any more",
	diff.FieldRetyped: "was changed in the change set, and the schema has given the field another type",
	EntryUnpublished:  "was changed in the change set, and the entry has been unpublished",
	EntryDeleted:      "was changed in the change set, and the entry has been deleted; undelete it before, or take theirs",
}

func conflictCode(r diff.Reason) string {
	if r == "" {
		return "conflict"
	}
	return string(r)
}

// compose makes the draft that an item's plan leads to.
func (r *rebase) compose(f frame, b *behind) (s staged, m mentions, items []fault.Item, err error) {
	merged, slug := b.mine.fields, b.mine.slug
	if !b.isGone() {
		if merged, err = b.plan.Resolve(diff.Take(r.take == TakeMine)); err != nil {
			return s, m, nil, err
		}
		if slug, err = r.slugOf(f, b, merged); err != nil {
			return s, m, nil, err
		}
	}
	if r.take == TakeMine {
		for _, c := range b.plan.Conflicts {
			if c.Reason == diff.FieldRemoved && c.Mine != nil {
				items = append(items, fault.Item{Path: c.Path.InEntry(), Code: string(c.Reason), Message: "cannot be kept: the schema has no such field any more"})
			}
		}
	}
	made, misfits, err := f.renew(merged, slug)
	if items = append(items, misfits...); err != nil || len(items) > 0 {
		return s, m, items, err
	}
	m, err = f.mentions(made.fields, editsOf(b.plan))
	return staged{
		head: &head{row: b.row, on: baseline{revision: b.target}, base: b.published}, set: r.set, draft: made, summary: b.mine.summary,
	}, m, nil, err
}

// slugOf is the slug of what was merged. Without a slug field it is merged by itself, and mine wins where it was changed.
func (r *rebase) slugOf(f frame, b *behind, merged jsontext.Value) (*string, error) {
	if f.schema.SlugField() != nil {
		w, err := f.slugIntentOf(merged, nil)
		return w.slug, err
	}
	base, theirs := r.revision(b.base).slug, r.revision(b.published).slug
	if b.mine.slug != nil && (base == nil || *base != *b.mine.slug) {
		return b.mine.slug, nil
	}
	return theirs, nil
}

// editsOf are the top-level fields that a plan writes.
func editsOf(p *diff.Plan) map[string]bool {
	names := map[string]bool{}
	for _, c := range p.Replayed {
		names[c.Path[0].Name] = true
	}
	for _, c := range p.Conflicts {
		if len(c.Path) > 0 {
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
