package changeset

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/value"
)

// reference is an entry id in the target of an item.
type reference struct {
	from content.EntryID
	value.Reference
}

// checkReferences finds references that would lead to nothing published.
func (r *release) checkReferences(ctx context.Context, tx pgx.Tx) error {
	outside, err := r.targets(ctx, tx)
	if err != nil {
		return err
	}
	for _, ref := range r.references {
		from := r.items[r.place[ref.from]]
		if n, staged := r.place[ref.Entry]; staged {
			to := r.items[n]
			if !to.operation.Publishes() {
				r.found.entry(from, ref.Path, codeReferenceRemoved, "refers to %s, which the same change set takes away (%s)", ref.Entry, to.operation)
				continue
			}
			r.checkReferred(from, ref, to.collection)
			continue
		}
		to, exists := outside[ref.Entry]
		switch {
		case !exists:
			r.found.entry(from, ref.Path, codeReferenceUnpublished, "refers to %s, which does not exist in the project", ref.Entry)
		case to.Deleted:
			r.found.entry(from, ref.Path, codeReferenceUnpublished, "refers to %s, which has been deleted", ref.Entry)
		case to.Removed:
			r.found.entry(from, ref.Path, codeReferenceUnpublished, "refers to %s, whose collection %q was removed", ref.Entry, to.Collection)
		case !to.Published:
			r.found.entry(from, ref.Path, codeReferenceUnpublished, "refers to %s, which is not published and not in the change set", ref.Entry)
		default:
			r.checkReferred(from, ref, to.Collection)
		}
	}
	return nil
}

func (r *release) checkReferred(from item, ref reference, collection string) {
	if ref.Collection != "" && ref.Collection != collection {
		r.found.entry(from, ref.Path, codeReference, "must refer to an entry of %s; %s is one of %s", ref.Collection, ref.Entry, collection)
	}
}

// targets reads the entries outside of the set that are referred to.
func (r *release) targets(ctx context.Context, tx pgx.Tx) (map[content.EntryID]schemadeploy.Target, error) {
	seen := map[content.EntryID]bool{}
	var ids []content.EntryID
	for _, ref := range r.references {
		if _, staged := r.place[ref.Entry]; !staged && !seen[ref.Entry] {
			seen[ref.Entry] = true
			ids = append(ids, ref.Entry)
		}
	}
	return schemadeploy.Targets(ctx, tx, r.project.ID, ids)
}

// address is a slug within its collection.
type address struct{ collection, slug string }

// checkSlugs finds slugs that two entries would have after the release.
func (r *release) checkSlugs(ctx context.Context, tx pgx.Tx) error {
	holders := map[address]item{}
	var collections, slugs []string
	for _, i := range r.items {
		if i.slug == nil || !i.operation.Publishes() {
			continue
		}
		at := address{i.collection, *i.slug}
		if other, taken := holders[at]; taken {
			r.found.entry(i, "slug", codeSlugTaken, "the slug %q is that of %s in the same change set", at.slug, other.entry)
			continue
		}
		holders[at] = i
		if i.publishedSlug == nil || *i.publishedSlug != at.slug {
			collections, slugs = append(collections, at.collection), append(slugs, at.slug)
		}
	}
	if len(slugs) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id, w.collection, w.slug FROM unnest($2::text[], $3::text[]) AS w(collection, slug)
		CROSS JOIN LATERAL (
			SELECT id FROM entry WHERE project_id || '/' || collection || '/' || published_slug = $1::text || '/' || w.collection || '/' || w.slug
			OFFSET 0) e
		ORDER BY e.id`, r.project.ID, collections, slugs)
	if err != nil {
		return fmt.Errorf("looking for taken slugs: %w", err)
	}
	var id content.EntryID
	var at address
	_, err = pgx.ForEachRow(rows, []any{&id, &at.collection, &at.slug}, func() error {
		if _, staged := r.place[id]; !staged { // an entry of the set gives up its slug, or is listed above
			r.found.entry(holders[at], "slug", codeSlugTaken, "the slug %q is that of the published entry %s", at.slug, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for taken slugs: %w", err)
	}
	return nil
}
