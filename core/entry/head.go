package entry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
)

// row is a locked entry, or one to be made.
type row struct {
	id            content.EntryID
	isNew         bool
	collection    string
	published     *content.RevisionID
	lastPublished *content.RevisionID
	draft         *content.RevisionID
	deleted       bool
}

// operation is what staging a revision of the entry means.
func (r *row) operation() content.Operation {
	if r.lastPublished == nil {
		return content.OperationCreate
	}
	return content.OperationUpdate
}

// lockEntry holds an entry that is there, is not deleted, and that the actor may touch.
func lockEntry(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, entry string) (*row, error) {
	r := &row{id: content.EntryID(entry)}
	err := tx.QueryRow(ctx, `
		SELECT collection, published_revision_id, last_published_revision_id, draft_revision_id, deleted_at IS NOT NULL
		FROM entry e WHERE id = $1 AND project_id = $2 AND `+inForce+` FOR NO KEY UPDATE`, entry, id).Scan(
		&r.collection, &r.published, &r.lastPublished, &r.draft, &r.deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing(entry)
	}
	if err != nil {
		return nil, fmt.Errorf("locking an entry: %w", err)
	}
	if err := access.Confine(actor, r.collection); err != nil {
		return nil, err
	}
	if r.deleted {
		f := fault.New(fault.Conflict, "the entry %s is deleted", entry)
		f.EntryIDs = []string{entry}
		return nil, f
	}
	return r, nil
}

// head is what a write of an entry builds on.
type head struct {
	*row
	on   baseline            // what data is laid over
	base *content.RevisionID // of the item: what was published when it was staged
}

// baseline is the content that a write builds on; the zero baseline is that of a new entry.
type baseline struct {
	revision *content.RevisionID
	slug     *string
	fields   jsontext.Value // nil where there is nothing
}

// newEntry is the head of an entry to be made.
func newEntry() *head { return &head{row: &row{id: content.NewID[content.EntryID](), isNew: true}} }

func (h *head) says(d draft) bool {
	return h.on.revision != nil && bytes.Equal(h.on.fields, d.fields) &&
		(h.on.slug == nil) == (d.slug == nil) && (d.slug == nil || *h.on.slug == *d.slug)
}

// findHeads finds what writes of entries build on, each into the named set, or without one into the only set that has it: what
// the set proposes, else what is or was published, else a draft that is not the work of another open set. The content is not
// read.
func findHeads(ctx context.Context, tx pgx.Tx, named string, entries ...*row) (map[content.EntryID]*head, error) {
	heads := make(map[content.EntryID]*head, len(entries))
	ids := make([]content.EntryID, len(entries))
	for i, e := range entries {
		heads[e.id] = &head{row: e, base: e.published, on: baseline{revision: e.published}}
		if e.published == nil {
			heads[e.id].on.revision = e.lastPublished
		}
		ids[i] = e.id
	}
	if len(ids) == 0 {
		return heads, nil
	}
	rows, err := tx.Query(ctx, `
		SELECT i.resource_id, i.change_set_id, i.base_revision_id, i.target_revision_id FROM unnest($1::text[]) AS w(id)
		JOIN change_set_item i ON i.resource_type = 'entry' AND i.resource_id = w.id AND i.live`, ids)
	if err != nil {
		return nil, fmt.Errorf("reading what change sets propose: %w", err)
	}
	type proposal struct {
		set string
		changeset.Proposal
	}
	proposed := map[content.EntryID][]proposal{}
	var id content.EntryID
	var p proposal
	_, err = pgx.ForEachRow(rows, []any{&id, &p.set, &p.Base, &p.Target}, func() error {
		proposed[id] = append(proposed[id], p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what change sets propose: %w", err)
	}
	for id, h := range heads {
		elsewhere := false
		for _, p := range proposed[id] {
			switch ours := p.set == named || named == "" && len(proposed[id]) == 1; {
			case !ours:
				elsewhere = true
			case p.Target != nil:
				h.on.revision, h.base = p.Target, p.Base
			}
		}
		if h.on.revision == nil && !elsewhere {
			h.on.revision = h.draft
		}
	}
	return heads, nil
}

// readHeads hands out the content of the revisions that heads are on, one by one.
func readHeads(ctx context.Context, tx pgx.Tx, heads map[content.EntryID]*head, take func(h *head, on baseline) error) error {
	ids := make([]content.RevisionID, 0, len(heads))
	for _, h := range heads {
		if h.on.revision != nil {
			ids = append(ids, *h.on.revision)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT r.entry_id, r.slug, r.fields FROM unnest($1::text[]) AS w(id) JOIN revision r ON r.id = w.id`, ids)
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	var id content.EntryID
	var slug *string
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &slug, &fields}, func() error {
		h := heads[id]
		err := take(h, baseline{revision: h.on.revision, slug: slug, fields: fields})
		slug, fields = nil, nil
		return err
	})
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	return nil
}

// keep is what a caller of readHeads passes that wants the content of all of them.
func keep(h *head, on baseline) error {
	h.on = on
	return nil
}
