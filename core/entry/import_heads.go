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
	on   foundation          // what the row is laid over
	base *content.RevisionID // of the item
	seen foundation          // what counts as there already; the work of another set too
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
		SELECT id, collection, published_revision_id, last_published_revision_id, draft_revision_id, deleted_at IS NOT NULL
		FROM entry WHERE project_id = $1 AND collection = $2 AND id = ANY($3) ORDER BY id FOR NO KEY UPDATE`,
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
		FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id AND s.status IN ('open', 'ready')
		WHERE i.resource_type = 'entry' AND i.resource_id = ANY($2)`, i.target.Set.ID, ids)
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
	rows, err := tx.Query(ctx, `SELECT entry_id, slug, fields FROM revision WHERE id = ANY($1)`, ids)
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (bool, error) {
		var id content.EntryID
		var f foundation
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
