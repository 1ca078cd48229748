package schemadeploy

import (
	"context"
	"fmt"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// maxContentErrors bounds the content errors that are listed; all are counted.
const maxContentErrors = 100

// ContentError is a place where existing content does not fit a proposed schema.
type ContentError struct {
	Entry      content.EntryID
	Collection string
	Revision   content.RevisionID // empty where the entry as such does not fit
	Path       string
	Code       string
	Message    string
}

// contentCheck holds existing content against proposed schemas.
type contentCheck struct {
	q       postgres.Querier
	actor   *access.Actor
	project content.ProjectID
	locales value.Locales

	errors []ContentError // the first ones
	count  int

	// Of the collection that is being checked:
	fits  map[content.RevisionID]struct{} // what is known to fit, and what is found to; nil keeps nothing in mind
	was   *schema.Collection              // what its content was accepted under; nil where it never was
	now   *schema.Collection
	back  bool            // it was removed, and comes back
	item  content.EntryID // the first entry
	entry content.EntryID // the last one so far
}

// collection checks every head of a collection, published ones and drafts, in the order of entries. In core a portion
// of the content is held at a time (see walk).
func (k *contentCheck) collection(ctx context.Context, was, now *schema.Collection) error {
	k.was, k.now, k.item, k.entry = was, now, "", ""
	return everyHead.walk(ctx, k.q, k.project, now.Name, k.fits, func(some []head) error { return k.heads(ctx, some) })
}

func (k *contentCheck) heads(ctx context.Context, some []head) error {
	references := make([][]value.Reference, len(some))
	for i, h := range some {
		if h.fields == nil {
			continue
		}
		var err error
		if references[i], err = value.References(k.now, k.locales, h.fields); err != nil {
			return fmt.Errorf("reading the references of revision %s: %w", h.revision, err)
		}
	}
	targets, err := k.targets(ctx, references)
	if err != nil {
		return err
	}
	for i, h := range some {
		if h.entry != k.entry {
			k.next(h)
		}
		if h.fields == nil { // there is no revision, or it is known to fit
			continue
		}
		before := k.count
		if err := k.head(h); err != nil {
			return fmt.Errorf("checking revision %s: %w", h.revision, err)
		}
		k.references(h, references[i], targets)
		if k.fits != nil && k.count == before && len(k.fits) < maxFits {
			k.fits[h.revision] = struct{}{}
		}
	}
	return nil
}

// next comes to another entry. A singleton has room for one.
func (k *contentCheck) next(h head) {
	k.entry = h.entry
	switch {
	case k.item == "":
		k.item = h.entry
	case k.now.Kind == schema.KindSingleton:
		k.add(h, "", schema.CodeTooMany, "a singleton has one item, and there is %s already; delete all entries but one first", k.item)
	}
}

func (k *contentCheck) head(h head) error {
	items, err := validate.Stored(k.now, k.locales, h.fields)
	if err != nil {
		return err
	}
	for _, i := range items {
		k.note(h, i)
	}
	if err := k.slug(h); err != nil || len(items) > 0 {
		return err
	}
	return k.relocalized(h)
}

// targets returns the collections of the entries that reference fields lead to. Fields do not say whether an entry
// exists: that is checked when it is written and when it is published.
func (k *contentCheck) targets(ctx context.Context, references [][]value.Reference) (map[content.EntryID]Target, error) {
	wanted := map[content.EntryID]bool{}
	var ids []content.EntryID
	for _, all := range references {
		for _, r := range all {
			if r.Collection != "" && !wanted[r.Entry] {
				wanted[r.Entry] = true
				ids = append(ids, r.Entry)
			}
		}
	}
	return Targets(ctx, k.q, k.project, ids)
}

func (k *contentCheck) references(h head, references []value.Reference, targets map[content.EntryID]Target) {
	for _, r := range references {
		if to, exists := targets[r.Entry]; exists && r.Collection != "" && r.Collection != to.Collection {
			owner := to.Collection
			if access.Confine(k.actor, owner) != nil {
				owner = "another collection"
			}
			k.add(h, r.Path, schema.CodeReference, "must refer to an entry of %s; %s is one of %s", r.Collection, r.Entry, owner)
		}
	}
}

func (k *contentCheck) note(h head, i fault.Item) {
	k.count++
	if len(k.errors) < maxContentErrors {
		k.errors = append(k.errors, ContentError{h.entry, k.now.Name, h.revision, i.Path, i.Code, k.explain(i)})
	}
}

func (k *contentCheck) add(h head, path string, code schema.Code, format string, args ...any) {
	k.note(h, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
}
