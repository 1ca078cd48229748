package schemadeploy

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/go-json-experiment/json/jsontext"

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
	Slug       string             // empty where the entry has none
	Title      string             // what its title field says, the beginning of it
	Revision   content.RevisionID // empty where the entry as such does not fit
	Path       string
	Code       string
	Message    string
}

// contentCheck holds existing content against proposed schemas, or against the schemas in force under other locales.
type contentCheck struct {
	q           postgres.Querier
	actor       *access.Actor
	project     content.ProjectID
	before      value.Locales // that content was accepted under
	locales     value.Locales // that it shall fit
	sameLocales bool
	remains     func(Target) bool // the collection of the entry will be in force

	errors []ContentError // the first ones
	count  int
	former int // of count, values of fields that were removed

	// Of the collection that is being checked:
	fits    map[content.RevisionID]struct{} // what is known to fit, and what is found to; nil keeps nothing in mind
	was     *schema.Collection              // what its content was accepted under
	now     *schema.Collection
	back    bool            // it was removed, and comes back
	version uint32          // that was in force last
	item    content.EntryID // the first entry
	entry   content.EntryID // the last one so far
}

// collection checks every head of a collection, published ones and drafts, in the order of entries. In core a portion
// of the content is held at a time (see walk).
func (k *contentCheck) collection(ctx context.Context, was, now *schema.Collection) error {
	k.was, k.now, k.item, k.entry = was, now, "", ""
	return everyHead.walk(ctx, k.q, k.project, now.Name, k.fits, func(some []head) error { return k.heads(ctx, some) })
}

func (k *contentCheck) heads(ctx context.Context, some []head) error {
	all, err := k.mentions(some)
	if err != nil {
		return err
	}
	targets, err := k.targets(ctx, all)
	if err != nil {
		return err
	}
	assets, err := k.assets(ctx, all)
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
		k.misled(h, all[i], targets)
		k.unfit(h, all[i].uses, assets)
		if k.fits != nil && k.count == before && len(k.fits) < maxFits && !all[i].depends() {
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
	moved, err := k.moved(h)
	if err != nil {
		return err
	}
	items, err := validate.Stored(k.now, k.locales, h.fields)
	if err != nil {
		return err
	}
	kept, err := k.kept(h, items)
	if err != nil {
		return err
	}
	for _, i := range items {
		if !moved[value.TopLevel(i.Path)] { // or it follows from that
			k.report(h, i, !kept[place{i.Path, i.Code}])
		}
	}
	return k.slug(h)
}

// note reports what was found by more than the values themselves.
func (k *contentCheck) note(h head, i fault.Item) { k.report(h, i, k.undeclared(i.Path)) }

// report adds an error; former says that it is about a value of a field that was removed.
func (k *contentCheck) report(h head, i fault.Item, former bool) {
	k.count++
	if former = former && !k.back; former {
		k.former++
	}
	if len(k.errors) < maxContentErrors {
		e := ContentError{Entry: h.entry, Collection: k.now.Name, Title: k.title(h), Revision: h.revision, Path: i.Path, Code: i.Code, Message: k.explain(h, i, former)}
		if h.slug != nil {
			e.Slug = *h.slug
		}
		k.errors = append(k.errors, e)
	}
}

// title is what people know the entry by; empty where that cannot be told. It only helps to find the entry.
func (k *contentCheck) title(h head) string {
	if k.was.TitleField == "" || h.fields == nil {
		return ""
	}
	raw, err := value.Read(k.was, k.before, "", h.fields, k.was.TitleField)
	if err != nil {
		return ""
	}
	switch raw.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return ""
		}
		return schema.Show(string(text))
	case '0':
		return schema.Show(string(raw))
	}
	return ""
}

func (k *contentCheck) add(h head, path string, code schema.Code, format string, args ...any) {
	k.note(h, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
}

// nameOrphans says of errors in orphaned drafts, which no change set shows, what they are and how to be rid of them.
func (k *contentCheck) nameOrphans(ctx context.Context) error {
	if len(k.errors) == 0 {
		return nil
	}
	ids := make([]content.EntryID, len(k.errors))
	for i, e := range k.errors {
		ids[i] = e.Entry
	}
	rows, err := k.q.Query(ctx, `SELECT id FROM entry e WHERE id = ANY($1) AND last_published_revision_id IS NULL AND NOT EXISTS (
		SELECT FROM change_set_item i WHERE i.resource_type = 'entry' AND i.resource_id = e.id AND i.live)`, ids)
	if err != nil {
		return fmt.Errorf("looking for orphaned drafts: %w", err)
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowTo[content.EntryID])
	if err != nil {
		return fmt.Errorf("looking for orphaned drafts: %w", err)
	}
	for i, e := range k.errors {
		if slices.Contains(orphans, e.Entry) {
			k.errors[i].Message += fmt.Sprintf("; this draft belongs to no open change set: edit it, or discard it with "+
				"DELETE /v1/projects/:project/entries/%s/draft (svc entries discard)", e.Entry)
		}
	}
	return nil
}
