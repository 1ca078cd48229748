package entry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
)

// save stores a revision and stages it, in one round trip.
type save struct {
	actor     *access.Actor
	target    *changeset.Target
	frame     frame
	entry     content.EntryID
	isNew     bool
	operation content.Operation
	base      *content.RevisionID // of the item
	parent    *content.RevisionID
	draft     draft
	summary   string
}

const (
	insertEntry = `INSERT INTO entry (id, project_id, collection, draft_revision_id, draft_slug, created_by)
		VALUES ($1, $2, $3, $4, $5, $6)`
	moveDraft      = `UPDATE entry SET draft_revision_id = $2, draft_slug = $3 WHERE id = $1`
	insertRevision = `INSERT INTO revision (id, project_id, entry_id, parent_id, schema_version, slug, fields, fields_hash,
		change_set_id, change_summary, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
)

func (s save) run(ctx context.Context, tx pgx.Tx) (*Written, error) {
	id := content.NewID[content.RevisionID]()
	project, set := s.target.Project.ID, s.target.Set
	batch := &pgx.Batch{}
	if s.isNew {
		batch.Queue(insertEntry, s.entry, project, s.frame.schema.Name, id, s.draft.slug, s.actor.IDOrNil())
	} else {
		batch.Queue(moveDraft, s.entry, id, s.draft.slug)
	}
	batch.Queue(insertRevision, id, project, s.entry, s.parent, s.frame.version, s.draft.slug, string(s.draft.fields),
		s.draft.hash[:], set.ID, s.summary, s.actor.IDOrNil())
	changeset.Queue(batch, set, []changeset.Staging{{
		Entry: s.entry, Collection: s.frame.schema.Name, Operation: s.operation, Base: s.base, Target: &id, Slug: s.draft.slug,
	}})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("storing a revision: %w", err)
	}
	e, err := read(ctx, tx, project, string(s.entry))
	if err != nil {
		return nil, err
	}
	return &Written{Entry: e, Revision: e.Draft, ChangeSet: set}, nil
}
