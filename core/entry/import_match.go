package entry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

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
	return spool.chunks(chunkRows, func(_ int, rows []spooled) error {
		for _, r := range rows {
			k, err := i.key(r.ImportRow)
			var f *fault.Error
			if errors.As(err, &f) {
				r.Bad = append(r.Bad, f.Items...)
			} else if err != nil {
				return err
			}
			if k.bad = len(r.Bad) > 0; k.bad {
				i.problem(len(i.keys), r.Bad...)
			} else if k.slug != nil {
				i.named[*k.slug] = true
				if k.id != "" {
					i.moves[k.id] = *k.slug
				}
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

// aim finds what rows are about, chooses and locks the sets that they join and the entries that they change, each in the
// order of their ids and the project in between, and makes sure that all of it is so still.
func (i *importer) aim(ctx context.Context, tx pgx.Tx) (err error) {
	if i.matches, err = i.match(ctx, tx); err != nil {
		return err
	}
	var ids []content.EntryID // that rows are about
	for _, m := range i.matches {
		if m.entry != "" {
			ids = append(ids, m.entry)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if i.targets, err = changeset.ResolveTargets(ctx, tx, i.actor, i.project, i.options.ChangeSet, ids...); err != nil {
		return err
	}
	now, err := loadFrame(ctx, tx, i.targets.Project, i.frame.schema.Name)
	switch {
	case err != nil:
		return err
	case now.version != i.frame.version || !reflect.DeepEqual(now.locales, i.frame.locales):
		return changeset.ErrMoved
	case i.frame.schema.Kind == schema.KindSingleton, slices.ContainsFunc(i.keys, func(k key) bool { return k.base != "" }):
		// Imports that make items, or derive slugs, follow one another: each sees what the one before made.
		if err := lockCollection(ctx, tx, i.project, i.frame.schema.Name); err != nil {
			return err
		}
	}
	if i.entries, err = i.lock(ctx, tx, ids); err != nil {
		return err
	}
	again, err := i.match(ctx, tx)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(again, i.matches) {
		return changeset.ErrMoved
	}
	return i.targets.Confirm(ctx, tx)
}

// lock locks the entries that rows are about.
func (i *importer) lock(ctx context.Context, tx pgx.Tx, ids []content.EntryID) (map[content.EntryID]*row, error) {
	entries := map[content.EntryID]*row{}
	rows, err := tx.Query(ctx, `
		SELECT e.id, e.collection, e.published_revision_id, e.last_published_revision_id, e.deleted_at IS NOT NULL
		FROM entry e WHERE e.id = ANY($3) AND e.project_id = $1 AND e.collection = $2 ORDER BY e.id FOR NO KEY UPDATE`, i.project, i.frame.schema.Name, ids)
	if err != nil {
		return nil, fmt.Errorf("locking entries: %w", err)
	}
	var e row
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.collection, &e.published, &e.lastPublished, &e.deleted}, func() error {
		locked := e
		entries[e.id] = &locked
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("locking entries: %w", err)
	}
	return entries, nil
}

// conflict says why a row cannot be staged: several entries have its slug, or its entry is in several sets.
func (i *importer) conflict(number int) *fault.Error {
	m := i.matches[number]
	if len(m.rivals) > 0 {
		f := fault.New(fault.Conflict, "the slug %q is that of %d drafts; say which one with id, or with changeSetId", *i.keys[number].slug, len(m.rivals))
		for _, id := range m.rivals {
			f.EntryIDs = append(f.EntryIDs, string(id))
		}
		return f
	}
	if _, err := i.joins(m.entry); err != nil {
		return fault.As(err)
	}
	return nil
}

// joins is the set that a row about an entry, or a new one, joins. What is not there has a problem and joins none: it may be
// out of reach.
func (i *importer) joins(entry content.EntryID) (content.ChangeSetID, error) {
	if e := i.entries[entry]; entry != "" && (e == nil || e.deleted) {
		return "", nil
	}
	return i.targets.Joins(entry)
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
		SELECT slug, id FROM (SELECT *, min(place) OVER (PARTITION BY slug) AS first FROM (
			SELECT w.slug, i.resource_id AS id, CASE WHEN $4 = '' THEN 3 ELSE 1 END AS place FROM unnest($3::text[]) AS w(slug) `+stagedAs+`
			JOIN change_set s ON s.id = i.change_set_id AND s.project_id = $1 AND s.status IN ('open', 'ready')
			JOIN entry e ON e.id = i.resource_id AND e.deleted_at IS NULL
			WHERE i.collection = $2 AND ($4 = '' OR i.change_set_id = $4)
			UNION SELECT w.slug, e.id, 2 FROM unnest($3::text[]) AS w(slug) `+publishedAs+`
			UNION SELECT w.slug, e.id, 3 FROM unnest($3::text[]) AS w(slug) `+draftedAs+`) o) o
		WHERE place = first ORDER BY id`, i.project, i.frame.schema.Name, slugs, i.options.ChangeSet)
	if err != nil {
		return nil, fmt.Errorf("matching rows by slug: %w", err)
	}
	var slug string
	var id content.EntryID
	_, err = pgx.ForEachRow(rows, []any{&slug, &id}, func() error {
		found[slug] = append(found[slug], id)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("matching rows by slug: %w", err)
	}
	return found, nil
}
