package entry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/value"
)

// pool is what there is under a slug that rows derive, and under its numbered variants.
type pool struct {
	taken map[string]bool
	equal map[[sha256.Size]byte][]variant // by content, in the order of their numbers
	next  int                             // the first number that may be free
}

// variant is an entry that a row may say again.
type variant struct {
	base  string
	entry content.EntryID
	slug  *string
}

// learn reads what there is under slugs that are not known yet.
func (i *importer) learn(ctx context.Context, tx pgx.Tx, bases []string) error {
	var of, low, high []string
	for _, base := range bases {
		if i.pools[base] != nil {
			continue
		}
		i.pools[base] = &pool{taken: map[string]bool{}, equal: map[[sha256.Size]byte][]variant{}, next: 1}
		// The base itself, since letters, digits and hyphens come behind "!"; and what goes on with a number.
		of, low, high = append(of, base, base), append(low, base, base+"-1"), append(high, base+"!", base+"-:")
	}
	if len(of) == 0 {
		return nil
	}
	variants, err := i.variants(ctx, tx, of, low, high)
	if err != nil {
		return err
	}
	var ids []content.EntryID
	for _, v := range variants {
		ids = append(ids, v.entry)
	}
	slices.Sort(ids)
	slugs, like := map[content.EntryID]*string{}, map[content.EntryID][][sha256.Size]byte{}
	err = eachHead(ctx, tx, i.options.ChangeSet, true, slices.Compact(ids), func(id content.EntryID, _ *content.RevisionID, on baseline) (err error) {
		if on.revision != nil {
			slugs[id] = on.slug
			like[id], err = i.frame.likenesses(on.fields)
		}
		return err
	})
	for _, v := range variants {
		v.slug = slugs[v.entry]
		for _, l := range like[v.entry] {
			p := i.pools[v.base]
			p.equal[l] = append(p.equal[l], v)
		}
	}
	return err
}

// variants finds the entries whose slug, published or in a draft, lies in one of these ranges and is the base or a variant
// of it. Those that other rows are about stand for them; their slugs are taken all the same, and so are those that other sets
// propose.
func (i *importer) variants(ctx context.Context, tx pgx.Tx, bases, low, high []string) ([]variant, error) {
	// OFFSET 0 has the index of migration 7 looked into for each range.
	rows, err := tx.Query(ctx, `
		SELECT * FROM (SELECT w.base, f.* FROM unnest($3::text[], $4::text[], $5::text[]) AS w(base, low, high) CROSS JOIN LATERAL (
			SELECT e.published_slug AS slug, e.id, true AS counts FROM entry e
			WHERE project_id || '/' || collection || '/' || published_slug >= $1::text || '/' || $2 || '/' || w.low
			  AND project_id || '/' || collection || '/' || published_slug < $1::text || '/' || $2 || '/' || w.high OFFSET 0) f
		UNION ALL
		SELECT w.base, f.* FROM unnest($3::text[], $4::text[], $5::text[]) AS w(base, low, high) CROSS JOIN LATERAL (
			SELECT e.draft_slug, e.id, true FROM entry e
			WHERE project_id || '/' || collection || '/' || draft_slug >= $1::text || '/' || $2 || '/' || w.low
			  AND project_id || '/' || collection || '/' || draft_slug < $1::text || '/' || $2 || '/' || w.high
			  AND e.published_revision_id IS NULL AND e.deleted_at IS NULL OFFSET 0) f
		UNION ALL
		SELECT w.base, f.* FROM unnest($3::text[], $4::text[], $5::text[]) AS w(base, low, high) CROSS JOIN LATERAL (
			SELECT i.slug, e.id, i.change_set_id = $6 FROM (
				SELECT slug, resource_id, change_set_id, collection FROM change_set_item
				WHERE CASE WHEN live THEN slug END >= w.low AND CASE WHEN live THEN slug END < w.high OFFSET 0) i
			`+entryOf+` WHERE i.collection = $2 AND e.project_id = $1 AND e.deleted_at IS NULL OFFSET 0) f) v
		ORDER BY base, length(slug), slug`,
		i.project, i.frame.schema.Name, bases, low, high, i.options.ChangeSet)
	if err != nil {
		return nil, fmt.Errorf("looking for derived slugs: %w", err)
	}
	var variants []variant
	var base, slug string
	var id content.EntryID
	var counts bool
	_, err = pgx.ForEachRow(rows, []any{&base, &slug, &id, &counts}, func() error {
		if isVariant(base, slug) {
			i.pools[base].taken[slug] = true
			if counts && i.entries[id] == nil {
				variants = append(variants, variant{base: base, entry: id})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for derived slugs: %w", err)
	}
	return variants, nil
}

// derive settles a row without an id and a slug: an entry of equal content that stands for no other row, or a new one with
// the next free variant of the slug.
func (i *importer) derive(p *plan) error {
	pool := i.pools[p.key.base]
	like, err := i.frame.likeness(p.row.Data, value.FillAll)
	if err != nil {
		return err
	}
	for _, v := range pool.equal[like] {
		if !i.done[v.entry] {
			p.entry, p.slug, p.same = v.entry, v.slug, true
			return nil
		}
	}
	for ; ; pool.next++ {
		slug := numbered(p.key.base, pool.next)
		if !pool.taken[slug] && !i.named[slug] && !i.spent[slug] {
			p.slug = &slug
			return nil
		}
	}
}

// likenesses are those of a revision that a row may have made: with the defaults that it had, and with those of today.
func (f frame) likenesses(fields jsontext.Value) ([][sha256.Size]byte, error) {
	var out [][sha256.Size]byte
	for _, fill := range []value.Fill{value.FillNothing, value.FillAll} {
		l, err := f.likeness(fields, fill)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out, nil
}

// likeness is the same for equal content, whatever its slug.
func (f frame) likeness(fields jsontext.Value, fill value.Fill) ([sha256.Size]byte, error) {
	canonical, err := value.Canonical(f.schema, f.locales, fields, fill)
	if s := f.schema.SlugField(); err == nil && s != nil {
		canonical, err = with(canonical, s.Key, nil)
	}
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("comparing content: %w", err)
	}
	return sha256.Sum256(canonical), nil
}

// isVariant reports whether a slug is the base or a numbered variant of it.
func isVariant(base, slug string) bool {
	n, err := strconv.Atoi(slug[strings.LastIndexByte(slug, '-')+1:])
	return slug == base || err == nil && n > 1 && slug == numbered(base, n)
}
