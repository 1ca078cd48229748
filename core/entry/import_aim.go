package entry

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// aim finds what rows are about, chooses and locks the sets that they join and the entries that they change, each in the
// order of their ids and the project in between, and makes sure that all of it is so still.
func (i *importer) aim(ctx context.Context, tx pgx.Tx) (err error) {
	if i.matches, err = i.match(ctx, tx); err != nil {
		return err
	}
	if i.spread, err = changeset.ResolveTargets(ctx, tx, i.actor, i.project, i.options.ChangeSet, i.matched()); err != nil {
		return err
	}
	now, err := loadFrame(ctx, tx, i.spread.Project, i.frame.schema.Name)
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
	if err := i.lock(ctx, tx); err != nil {
		return err
	}
	again, err := i.match(ctx, tx)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(again, i.matches, match.equal) {
		return changeset.ErrMoved
	}
	i.moves = map[content.EntryID]string{}
	for n, k := range i.keys {
		if k.id != "" && k.slug != nil && !k.bad && i.conflict(n) == nil {
			i.moves[k.id] = *k.slug
		}
	}
	return i.spread.Confirm(ctx, tx)
}

func (m match) equal(o match) bool { return m.entry == o.entry && slices.Equal(m.rivals, o.rivals) }

// lock locks the entries that rows are about.
func (i *importer) lock(ctx context.Context, tx pgx.Tx) error {
	i.entries = map[content.EntryID]*row{}
	ids := i.matched()
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id, e.collection, e.published_revision_id, e.last_published_revision_id, e.draft_revision_id, e.deleted_at IS NOT NULL
		FROM unnest($3::text[]) AS w(id) JOIN entry e ON e.id = w.id AND e.project_id = $1 AND e.collection = $2
		ORDER BY e.id FOR NO KEY UPDATE OF e`, i.project, i.frame.schema.Name, ids)
	if err != nil {
		return fmt.Errorf("locking entries: %w", err)
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (*row, error) {
		e := &row{}
		err := r.Scan(&e.id, &e.collection, &e.published, &e.lastPublished, &e.draft, &e.deleted)
		i.entries[e.id] = e
		return e, err
	})
	if err != nil {
		return fmt.Errorf("locking entries: %w", err)
	}
	return nil
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
	if e := i.entries[m.entry]; e == nil || e.deleted { // that is another fault, and the entry may be out of reach
		return nil
	}
	if _, err := i.spread.Joins(m.entry); err != nil {
		return fault.As(err)
	}
	return nil
}
