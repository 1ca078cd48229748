package entry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
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
		SELECT collection, published_revision_id, last_published_revision_id, deleted_at IS NOT NULL
		FROM entry e WHERE id = $1 AND project_id = $2 AND `+inForce+` FOR NO KEY UPDATE`, entry, id).Scan(
		&r.collection, &r.published, &r.lastPublished, &r.deleted)
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

// eachHead passes what writes of entries build on, each into the named set, or without one into the only set that has it: what the
// set proposes, else what is or was published, else a draft that is not the work of another open set, or with others of any. An
// entry without any of them has an empty baseline. OFFSET 0 has the index of revisions looked into for each entry.
func eachHead(ctx context.Context, tx pgx.Tx, named string, others bool, ids []content.EntryID, see func(id content.EntryID, base *content.RevisionID, on baseline) error) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id, CASE WHEN i.target IS NULL THEN e.published_revision_id ELSE i.base END, r.id, r.slug, r.fields
		FROM unnest($1::text[]) AS w(id) JOIN entry e ON e.id = w.id
		CROSS JOIN LATERAL (
			SELECT max(base_revision_id) FILTER (WHERE ours) AS base, max(target_revision_id) FILTER (WHERE ours) AS target,
			       coalesce(bool_or(NOT ours), false) AS elsewhere
			FROM (SELECT *, CASE $2 WHEN '' THEN count(*) OVER () = 1 ELSE change_set_id = $2 END AS ours FROM change_set_item
			      WHERE resource_type = 'entry' AND resource_id = e.id AND live) one) i
		LEFT JOIN LATERAL (
			SELECT id, slug, fields FROM revision WHERE id = coalesce(i.target, e.published_revision_id, e.last_published_revision_id,
				CASE WHEN $3 OR NOT i.elsewhere THEN e.draft_revision_id END) OFFSET 0) r ON true`, ids, named, others)
	if err != nil {
		return fmt.Errorf("reading what writes build on: %w", err)
	}
	var id content.EntryID
	var base *content.RevisionID
	var on baseline
	_, err = pgx.ForEachRow(rows, []any{&id, &base, &on.revision, &on.slug, (*[]byte)(&on.fields)}, func() error {
		err := see(id, base, on)
		base, on = nil, baseline{}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading what writes build on: %w", err)
	}
	return nil
}
