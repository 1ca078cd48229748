package changeset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/asset"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/validate"
	"svc/shared/value"
)

// maxSize bounds the content of a release, in bytes: no edge takes more.
var maxSize = record.MaxBody

// Validation says whether a set could be published.
type Validation struct {
	// Detail is that of the fault that a publish would be refused with; empty where it would not be.
	Detail string
	Errors []fault.Item // each about an entry or an asset
	// Warnings keep nothing from being published.
	Warnings []Warning
}

// Validate says what keeps a set from being published (interface, "Publish validation"). It changes nothing. A published or
// closed set is CONFLICT.
func Validate(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string) (*Validation, error) {
	out := &Validation{}
	err := postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		r := newRelease(false)
		if err := r.open(ctx, tx, actor, id, changeSet); err != nil {
			return err
		}
		var err error
		if out.Warnings, err = r.warn(ctx, tx, actor); err != nil {
			return err
		}
		return r.check(ctx, tx)
	})
	if f := fault.As(err); err != nil && f.Code == fault.PublishValidationFailed {
		out.Detail, out.Errors = f.Detail, f.Items
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// check refuses a set that cannot be published.
func (r *release) check(ctx context.Context, tx pgx.Tx) error {
	if err := r.checkItems(ctx, tx); err != nil {
		return err
	}
	if err := r.checkPublished(ctx, tx); err != nil {
		return err
	}
	return r.refusal()
}

// checkItems finds what is wrong with the items by themselves, and collects what they refer to. A set that is empty or too
// large is refused.
func (r *release) checkItems(ctx context.Context, tx pgx.Tx) error {
	if err := r.checkSize(); err != nil {
		return err
	}
	r.checkStaleBases()
	r.checkCollections()
	return r.checkFields(ctx, tx)
}

// checkPublished finds what does not fit with what is published of other entries.
func (r *release) checkPublished(ctx context.Context, tx pgx.Tx) error {
	if err := r.checkReferences(ctx, tx); err != nil {
		return err
	}
	return r.checkSlugs(ctx, tx)
}

// checkSize refuses a set that no release can be made of. Too many items are the fault of those beyond the limit, too much
// content is that of the largest entry; an empty set has no entry whose fault it could be.
func (r *release) checkSize() error {
	switch n := len(r.items); {
	case n == 0:
		return fault.New(fault.PublishValidationFailed, "the change set stages nothing")
	case n > MaxItems:
		for _, i := range r.items[MaxItems:] {
			r.found.entry(i, "", codeTooMany, "a release holds at most %d items and the change set has %d; unstage this one, or publish it in another change set", MaxItems, n)
		}
	case r.size() > maxSize:
		largest := slices.MaxFunc(r.items, func(a, b item) int { return cmp.Compare(a.size, b.size) })
		r.found.entry(largest, "", codeTooLarge, "a release holds at most %d MiB of content and the change set has %d; publish this entry, the largest, or others in another change set",
			maxSize>>20, r.size()>>20+1)
	}
	return r.refusal()
}

// checkStaleBases finds items that were staged on another state than the entry has now.
func (r *release) checkStaleBases() {
	for _, i := range r.items {
		switch {
		case i.deleted:
			r.found.entry(i, "", codeStale, "the entry has been deleted since it was staged")
		case !same(i.base, i.published):
			r.found.entry(i, "", codeStale, "it was staged on %s, but %s is published now", named(i.base), named(i.published))
		}
	}
}

// checkCollections finds items of collections that were removed since they were staged.
func (r *release) checkCollections() {
	for _, i := range r.items {
		if r.schemas.Get(i.collection) == nil {
			r.found.entry(i, "", codeCollection, "the collection %q was removed; unstage the entry, or push the collection again", i.collection)
		}
	}
}

// checkFields validates every target, with the assets that it names, against the schemas and policies in force, and collects
// what the targets refer to. Targets that name assets come after the others, once it is known which.
func (r *release) checkFields(ctx context.Context, tx pgx.Tx) error {
	var assets []content.AssetID
	err := r.eachTarget(ctx, tx, ``, func(i item, fields jsontext.Value) error {
		if bytes.Contains(fields, []byte(assetMark)) {
			assets = append(assets, value.AssetIDs(fields)...)
			return nil
		}
		return r.checkTarget(i, fields)
	})
	if err != nil || len(assets) == 0 {
		return err
	}
	if err := r.loadAssets(ctx, tx, assets); err != nil {
		return err
	}
	return r.eachTarget(ctx, tx, ` AND strpos(v.fields, '`+assetMark+`') > 0`, r.checkTarget)
}

// assetMark is in every text that names an asset.
const assetMark = "ast_"

// eachTarget passes the targets by the ids of their entries, but for those of collections that were removed.
func (r *release) eachTarget(ctx context.Context, tx pgx.Tx, where string, see func(item, jsontext.Value) error) error {
	rows, err := tx.Query(ctx, `
		SELECT i.resource_id, v.fields FROM change_set_item i JOIN revision v ON v.id = i.target_revision_id
		WHERE i.change_set_id = $1 AND i.resource_type = 'entry'`+where+` ORDER BY i.resource_id`, r.set.ID)
	if err != nil {
		return fmt.Errorf("reading the targets of a change set: %w", err)
	}
	var entry content.EntryID
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&entry, (*pgtype.DriverBytes)(&fields)}, func() error {
		i := r.publishes(entry)
		if i == nil {
			return fmt.Errorf("the item of %s has a target and publishes none", entry)
		}
		if r.schemas.Get(i.collection) == nil { // checkCollections tells
			return nil
		}
		return see(*i, fields)
	})
	if err != nil {
		return fmt.Errorf("checking the targets of a change set: %w", err)
	}
	return nil
}

func (r *release) checkTarget(i item, fields jsontext.Value) error {
	locales, c := schemadeploy.Locales(r.project), r.schemas.Get(i.collection).Schema
	items, err := validate.Stored(c, locales, fields)
	if err != nil {
		return fmt.Errorf("checking revision %s: %w", *i.target, err)
	}
	policy, prepared := r.policies[i.collection]
	if !prepared {
		policy = validate.PolicyOf(c)
		r.policies[i.collection] = policy
	}
	violations, err := policy.Check(locales, fields, r.image)
	if err != nil {
		return fmt.Errorf("holding revision %s against the policy: %w", *i.target, err)
	}
	mentions, err := value.MentionsIn(c, locales, fields)
	if err != nil {
		return fmt.Errorf("reading what revision %s names: %w", *i.target, err)
	}
	for _, found := range slices.Concat(items, violations, r.assets.Misfits(mentions.Assets)) {
		r.found.entry(i, found.Path, found.Code, "%s", found.Message)
	}
	for _, m := range mentions.References {
		r.references = append(r.references, reference{from: i.entry, Reference: m})
	}
	return nil
}

func same(a, b *content.RevisionID) bool { return a == b || a != nil && b != nil && *a == *b }

func named(r *content.RevisionID) string {
	if r == nil {
		return "nothing"
	}
	return string(*r)
}

// loadAssets reads the assets that the targets name anywhere, as part of a longer string too.
func (r *release) loadAssets(ctx context.Context, tx pgx.Tx, ids []content.AssetID) (err error) {
	if r.holds {
		r.assets, err = asset.Lock(ctx, tx, r.project.ID, ids)
	} else {
		r.assets, err = asset.Find(ctx, tx, r.project.ID, ids)
	}
	return err
}

// image tells the policy of an asset. One that was deleted is none.
func (r *release) image(id content.AssetID) (validate.Asset, bool) {
	a, exists := r.assets[id]
	return validate.Asset{ContentType: a.ContentType, DefaultAlt: a.DefaultAlt}, exists && a.State != content.AssetDeleted
}
