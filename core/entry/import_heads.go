package entry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
	"svc/shared/content"
)

// head is an entry that a row is about.
type head struct {
	row
	on   baseline            // what the row is laid over
	base *content.RevisionID // of the item
	seen baseline            // what counts as there already; the work of another set too
}

func (h *head) says(d draft) bool {
	return h.seen.revision != nil && bytes.Equal(h.seen.fields, d.fields) &&
		(h.seen.slug == nil) == (d.slug == nil) && (d.slug == nil || *h.seen.slug == *d.slug)
}

// heads locks the entries that rows are about and reads what is there.
func (i *importer) heads(ctx context.Context, tx pgx.Tx, plans []plan) (map[content.EntryID]*head, error) {
	var ids []string
	for _, p := range plans {
		if p.entry != "" {
			ids = append(ids, string(p.entry))
		}
	}
	heads := map[content.EntryID]*head{}
	if len(ids) == 0 {
		return heads, nil
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id, e.collection, e.published_revision_id, e.last_published_revision_id, e.draft_revision_id, e.deleted_at IS NOT NULL
		FROM unnest($3::text[]) AS w(id) JOIN entry e ON e.id = w.id AND e.project_id = $1 AND e.collection = $2
		ORDER BY e.id FOR NO KEY UPDATE OF e`,
		i.target.Project.ID, i.frame.schema.Name, ids)
	if err != nil {
		return nil, fmt.Errorf("locking entries: %w", err)
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (*head, error) {
		h := &head{}
		err := r.Scan(&h.id, &h.collection, &h.published, &h.lastPublished, &h.draft, &h.deleted)
		heads[h.id] = h
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("locking entries: %w", err)
	}
	if err := i.proposals(ctx, tx, heads, ids); err != nil {
		return nil, err
	}
	return heads, i.contents(ctx, tx, heads)
}

// proposals finds what each write builds on and the base of its item: what the set proposes, else what is or was
// published, else a draft that is not the work of another open set.
func (i *importer) proposals(ctx context.Context, tx pgx.Tx, heads map[content.EntryID]*head, ids []string) error {
	rows, err := tx.Query(ctx, `
		SELECT i.resource_id, i.change_set_id = $1, i.base_revision_id, i.target_revision_id
		FROM unnest($2::text[]) AS w(id)
		JOIN change_set_item i ON i.resource_type = 'entry' AND i.resource_id = w.id AND i.live`, i.target.Set.ID, ids)
	if err != nil {
		return fmt.Errorf("reading what change sets propose: %w", err)
	}
	elsewhere, proposed := map[content.EntryID]bool{}, map[content.EntryID]changeset.Proposal{}
	var id content.EntryID
	var ours bool
	var p changeset.Proposal
	_, err = pgx.ForEachRow(rows, []any{&id, &ours, &p.Base, &p.Target}, func() error {
		if ours {
			proposed[id] = p
		} else {
			elsewhere[id] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading what change sets propose: %w", err)
	}
	for id, h := range heads {
		h.base = h.published
		h.on.revision = firstOf(h.published, h.lastPublished)
		if p := proposed[id]; p.Target != nil {
			h.on.revision, h.base = p.Target, p.Base
		}
		if h.on.revision == nil && !elsewhere[id] {
			h.on.revision = h.draft
		}
		h.seen.revision = cmp.Or(h.on.revision, h.draft)
	}
	return nil
}

// contents reads the revisions of heads.
func (i *importer) contents(ctx context.Context, tx pgx.Tx, heads map[content.EntryID]*head) error {
	var ids []string
	for _, h := range heads {
		if h.seen.revision != nil {
			ids = append(ids, string(*h.seen.revision))
		}
	}
	rows, err := tx.Query(ctx, `
		SELECT r.entry_id, r.slug, r.fields FROM unnest($1::text[]) AS w(id) JOIN revision r ON r.id = w.id`, ids)
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (bool, error) {
		var id content.EntryID
		var f baseline
		if err := r.Scan(&id, &f.slug, (*[]byte)(&f.fields)); err != nil {
			return false, err
		}
		h := heads[id]
		f.revision = h.seen.revision
		if h.seen = f; h.on.revision != nil {
			h.on = f
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	return nil
}
