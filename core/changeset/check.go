package changeset

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/validate"
	"svc/shared/value"
)

// The codes of findings about a set, beyond those of package schema.
const (
	codeEmpty                = "empty"
	codeTooMany              = "too_many"
	codeTooLarge             = "too_large"
	codeStale                = string(fault.StaleRevision)
	codeReferenceRemoved     = "reference_removed"
	codeReferenceUnpublished = schemadeploy.CodeReferenceUnpublished
	codeReference            = "reference"
	codeSlugTaken            = "slug_taken"
	codeCollection           = "unknown_collection"
)

// maxSize bounds the content of a release, in bytes: no edge takes more.
var maxSize = record.MaxBody

// maxFindings bounds the list; one more says how many were left out.
const maxFindings = 1000

// Validate says what keeps a set from being published (interface, "Publish validation"). An empty list means that it
// could be. It changes nothing.
func Validate(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string) ([]fault.Item, error) {
	var found []fault.Item
	err := postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		set, err := Get(ctx, tx, id, changeSet)
		if err != nil {
			return err
		}
		if err := cover(ctx, tx, actor, set); err != nil {
			return err
		}
		r := &release{set: set}
		if r.project, err = project.Get(ctx, tx, string(id)); err != nil {
			return err
		}
		if r.schemas, err = schemadeploy.Load(ctx, tx, id); err != nil {
			return err
		}
		if err := r.load(ctx, tx); err != nil {
			return err
		}
		found, err = r.check(ctx, tx)
		return err
	})
	return found, err
}

// check finds everything that keeps the set from being published.
func (r *release) check(ctx context.Context, tx pgx.Tx) ([]fault.Item, error) {
	f := &findings{}
	switch n := len(r.items); {
	case n == 0:
		f.add("change_set", string(r.set.ID), "items", codeEmpty, "the change set stages nothing")
		return f.list(), nil
	case n > MaxItems:
		f.add("change_set", string(r.set.ID), "items", codeTooMany, "a release holds at most %d items; the change set has %d", MaxItems, n)
		return f.list(), nil
	case r.size() > maxSize:
		f.add("change_set", string(r.set.ID), "items", codeTooLarge,
			"a release holds at most %d MiB of content; the change set has %d: publish a part of it first", maxSize>>20, r.size()>>20+1)
		return f.list(), nil
	}
	r.checkBases(f)
	r.checkCollections(f)
	if err := r.loadAssets(ctx, tx); err != nil {
		return nil, err
	}
	references, err := r.checkFields(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	if err := r.checkReferences(ctx, tx, f, references); err != nil {
		return nil, err
	}
	if err := r.checkSlugs(ctx, tx, f); err != nil {
		return nil, err
	}
	return f.list(), nil
}

// checkBases finds items that were staged on another state than the entry has now.
func (r *release) checkBases(f *findings) {
	for _, i := range r.items {
		switch {
		case i.deleted:
			f.entry(i, "", codeStale, "the entry has been deleted since it was staged")
		case !same(i.base, i.published):
			f.entry(i, "", codeStale, "it was staged on %s, but %s is published now", named(i.base), named(i.published))
		}
	}
}

// checkCollections finds items of collections that were removed since they were staged.
func (r *release) checkCollections(f *findings) {
	for _, i := range r.items {
		if r.schemas.Get(i.collection) == nil {
			f.entry(i, "", codeCollection, "the collection %q was removed; unstage the entry, or push the collection again", i.collection)
		}
	}
}

// checkFields validates every target, with the assets that it names, against the schemas and policies in force, and collects
// what the targets refer to.
func (r *release) checkFields(ctx context.Context, tx pgx.Tx, f *findings) ([]reference, error) {
	locales := schemadeploy.Locales(r.project)
	rows, err := tx.Query(ctx, `
		SELECT i.resource_id, v.fields FROM change_set_item i JOIN revision v ON v.id = i.target_revision_id
		WHERE i.change_set_id = $1 AND i.resource_type = 'entry' ORDER BY i.resource_id`, r.set.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the targets of a change set: %w", err)
	}
	var entry content.EntryID
	var fields []byte
	var references []reference
	policies := map[string]*validate.Policy{}
	_, err = pgx.ForEachRow(rows, []any{&entry, &fields}, func() error {
		i := r.publishes(entry)
		if i == nil {
			return fmt.Errorf("the item of %s has a target and publishes none", entry)
		}
		d := r.schemas.Get(i.collection)
		if d == nil { // checkCollections tells
			return nil
		}
		items, err := validate.Stored(d.Schema, locales, jsontext.Value(fields))
		if err != nil {
			return fmt.Errorf("checking revision %s: %w", *i.target, err)
		}
		policy, prepared := policies[i.collection]
		if !prepared {
			policy = validate.PolicyOf(d.Schema)
			policies[i.collection] = policy
		}
		violations, err := policy.Check(locales, jsontext.Value(fields), r.image)
		if err != nil {
			return fmt.Errorf("holding revision %s against the policy: %w", *i.target, err)
		}
		mentions, err := value.MentionsIn(d.Schema, locales, jsontext.Value(fields))
		if err != nil {
			return fmt.Errorf("reading what revision %s names: %w", *i.target, err)
		}
		for _, found := range slices.Concat(items, violations, r.assets.Misfits(mentions.Assets)) {
			f.entry(*i, found.Path, found.Code, "%s", found.Message)
		}
		for _, m := range mentions.References {
			references = append(references, reference{from: entry, Reference: m})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("checking the targets of a change set: %w", err)
	}
	return references, nil
}

func same(a, b *content.RevisionID) bool { return a == b || a != nil && b != nil && *a == *b }

func named(r *content.RevisionID) string {
	if r == nil {
		return "nothing"
	}
	return string(*r)
}

// findings collects what is wrong.
type findings struct {
	items []fault.Item
	more  int
}

func (f *findings) add(kind, id, path, code, format string, args ...any) {
	if len(f.items) == maxFindings {
		f.more++
		return
	}
	f.items = append(f.items, fault.Item{
		ResourceType: kind, ResourceID: id, Path: path, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

func (f *findings) entry(i item, path, code, format string, args ...any) {
	f.add(string(content.ResourceEntry), string(i.entry), path, code, format, args...)
}

func (f *findings) list() []fault.Item {
	if f.more > 0 {
		more := f.more
		f.more = 0
		return append(f.items, fault.Item{Path: "items", Code: codeTooMany, Message: fmt.Sprintf("%d more findings are not listed", more)})
	}
	return f.items
}
