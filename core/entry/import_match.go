package entry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// importer stages the rows of one import.
type importer struct {
	actor   *access.Actor
	project content.ProjectID
	options ImportOptions
	frame   frame
	spread  *changeset.Spread

	keys    []key // by row
	matches []match
	entries map[content.EntryID]*row // those that rows are about, locked

	pools map[string]*pool           // by what slugs are derived from
	named map[string]bool            // slugs that rows ask for
	moves map[content.EntryID]string // slugs that rows give the entries with their ids
	spent map[string]bool            // slugs that rows of this import have taken
	done  map[content.EntryID]bool   // entries that rows of this import stand for

	out      *Imported
	problems []problem
}

// key is what a row says about which entry it is about.
type key struct {
	bad  bool // something is wrong with it
	id   content.EntryID
	slug *string // its own
	base string  // what its slug is to be derived from, where it has neither; empty where there is nothing
}

// match is the entry that a row is about, by its id or its slug.
type match struct {
	entry  content.EntryID   // empty: none
	rivals []content.EntryID // where several have its slug
}

// identify reads the keys of all rows.
func (i *importer) identify(spool *spool) error {
	i.keys = make([]key, 0, spool.rows)
	return spool.chunks(importChunk, func(first int, rows []ImportRow) error {
		for n, r := range rows {
			number := first + n
			k, err := i.key(r)
			var f *fault.Error
			switch {
			case spool.bad[number] != nil:
				k.bad = true
				i.problem(number, spool.bad[number]...)
			case errors.As(err, &f):
				k.bad = true
				i.problem(number, f.Items...)
			case err != nil:
				return err
			case k.slug != nil:
				i.named[*k.slug] = true
			}
			i.keys = append(i.keys, k)
		}
		return nil
	})
}

func (i *importer) key(r ImportRow) (key, error) {
	if len(r.Data) == 0 { // it could not be read
		return key{}, nil
	}
	w, err := i.frame.slugIntentOf(r.Data, r.Slug)
	if err != nil {
		return key{}, err
	}
	if r.ID != "" && !content.IsID[content.EntryID](string(r.ID)) {
		return key{}, fault.Invalid("id", "must be the id of an entry: ent_ and 26 characters")
	}
	k := key{id: r.ID, slug: w.slug}
	if k.id == "" && k.slug == nil && i.frame.schema.HasSlug() {
		k.base, err = i.frame.derive(r.Data)
	}
	return k, err
}

// matched are the entries that rows are about.
func (i *importer) matched() []content.EntryID {
	var ids []content.EntryID
	for _, m := range i.matches {
		if m.entry != "" {
			ids = append(ids, m.entry)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// match finds the entries that rows are about.
func (i *importer) match(ctx context.Context, tx pgx.Tx) ([]match, error) {
	out := make([]match, len(i.keys))
	if i.frame.schema.Kind == schema.KindSingleton {
		item, err := i.frame.singleton(ctx, tx, i.project)
		if len(out) > 0 {
			out[0].entry = item
		}
		return out, err
	}
	var slugs []string
	for _, k := range i.keys {
		if k.id == "" && k.slug != nil && !k.bad {
			slugs = append(slugs, *k.slug)
		}
	}
	owners, err := i.owners(ctx, tx, slugs)
	if err != nil {
		return nil, err
	}
	for n, k := range i.keys {
		switch {
		case k.bad:
		case k.id != "":
			out[n].entry = k.id
		case k.slug != nil && len(owners[*k.slug]) == 1:
			out[n].entry = owners[*k.slug][0]
		case k.slug != nil:
			out[n].rivals = owners[*k.slug]
		}
	}
	return out, nil
}

// owners returns the entries that have these slugs, by id: in the named set, else published, else in a draft that is an
// orphan's or, where no set is named, in any open set. There may be several drafts with one slug, until one is published.
func (i *importer) owners(ctx context.Context, tx pgx.Tx, slugs []string) (map[string][]content.EntryID, error) {
	found := map[string][]content.EntryID{}
	if len(slugs) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, `
		SELECT w.slug, i.resource_id, CASE WHEN $4 = '' THEN 3 ELSE 1 END FROM unnest($3::text[]) AS w(slug) `+stagedAs+`
		JOIN change_set s ON s.id = i.change_set_id AND s.project_id = $1 AND s.status IN ('open', 'ready')
		JOIN entry e ON e.id = i.resource_id AND e.deleted_at IS NULL
		WHERE i.collection = $2 AND ($4 = '' OR i.change_set_id = $4)
		UNION SELECT w.slug, e.id, 2 FROM unnest($3::text[]) AS w(slug) `+publishedAs+`
		UNION SELECT w.slug, e.id, 3 FROM unnest($3::text[]) AS w(slug) `+draftedAs+`
		ORDER BY 3, 2`, i.project, i.frame.schema.Name, slugs, i.options.ChangeSet)
	if err != nil {
		return nil, fmt.Errorf("matching rows by slug: %w", err)
	}
	first := map[string]int{} // the place that counts
	var slug string
	var id content.EntryID
	var place int
	_, err = pgx.ForEachRow(rows, []any{&slug, &id, &place}, func() error {
		if first[slug] == 0 {
			first[slug] = place
		}
		if first[slug] == place {
			found[slug] = append(found[slug], id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("matching rows by slug: %w", err)
	}
	return found, nil
}
