package changeset

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
)

// MaxItems is how many items a release holds.
const MaxItems = 10_000

// Staging is one entry operation to stage.
type Staging struct {
	Entry      content.EntryID
	Collection string
	Operation  content.Operation
	Base       *content.RevisionID
	Target     *content.RevisionID // nil for unpublish and delete
	Slug       *string             // of the target
}

const upsertItem = `
	INSERT INTO change_set_item (change_set_id, resource_type, resource_id, operation, base_revision_id, target_revision_id, collection, slug)
	SELECT $1, 'entry', * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
	ON CONFLICT (change_set_id, resource_type, resource_id) DO UPDATE
	SET operation = excluded.operation, base_revision_id = excluded.base_revision_id,
	    target_revision_id = excluded.target_revision_id, slug = excluded.slug, staged_at = now()`

// Queue stages operations into a set that the caller holds; staging an entry again overwrites its item.
func Queue(batch *pgx.Batch, set *ChangeSet, rows []Staging) {
	n := len(rows)
	entries, operations, collections := make([]string, n), make([]string, n), make([]string, n)
	bases, targets, slugs := make([]*content.RevisionID, n), make([]*content.RevisionID, n), make([]*string, n)
	for i, r := range rows {
		entries[i], operations[i], collections[i] = string(r.Entry), string(r.Operation), r.Collection
		bases[i], targets[i], slugs[i] = r.Base, r.Target, r.Slug
	}
	batch.Queue(upsertItem, set.ID, entries, operations, bases, targets, collections, slugs)
	batch.Queue(`UPDATE change_set SET updated_at = now() WHERE id = $1 RETURNING updated_at`, set.ID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&set.UpdatedAt)
	})
}

// Proposal is what a set proposes for an entry.
type Proposal struct {
	Operation content.Operation
	Base      *content.RevisionID
	Target    *content.RevisionID
}

// Proposed returns what the set proposes for an entry, and false where it stages nothing for it.
func Proposed(ctx context.Context, q postgres.Querier, set content.ChangeSetID, entry content.EntryID) (Proposal, bool, error) {
	var p Proposal
	err := q.QueryRow(ctx, `
		SELECT operation, base_revision_id, target_revision_id FROM change_set_item
		WHERE change_set_id = $1 AND resource_type = 'entry' AND resource_id = $2`, set, entry).Scan(&p.Operation, &p.Base, &p.Target)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("reading what a change set proposes: %w", err)
	}
	return p, true, nil
}
