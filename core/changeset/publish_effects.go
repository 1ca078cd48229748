package changeset

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/postgres"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// Effects 1 to 3: what entries point to, and the intervals in which revisions are live. The base of an item is what
// was published before, since the items have been checked.
var pointerMoves = []string{`
	UPDATE entry e SET published_revision_id = i.target_revision_id, last_published_revision_id = i.target_revision_id,
	       draft_revision_id = i.target_revision_id, draft_slug = i.slug, published_slug = i.slug,
	       published_release = @release, unpublished_at = NULL
	FROM change_set_item i
	WHERE i.change_set_id = @set AND i.resource_type = 'entry' AND i.operation IN ('create', 'update') AND e.id = i.resource_id`, `
	UPDATE entry e SET published_revision_id = NULL, published_slug = NULL,
	       unpublished_at = CASE WHEN i.operation = 'unpublish' AND e.published_revision_id IS NOT NULL THEN now() ELSE e.unpublished_at END,
	       deleted_at = CASE i.operation WHEN 'delete' THEN now() END
	FROM change_set_item i
	WHERE i.change_set_id = @set AND i.resource_type = 'entry' AND i.operation IN ('unpublish', 'delete') AND e.id = i.resource_id`, `
	UPDATE publication p SET to_release = @release FROM change_set_item i
	WHERE i.change_set_id = @set AND i.resource_type = 'entry' AND i.base_revision_id IS NOT NULL
	  AND p.entry_id = i.resource_id AND p.to_release = 9223372036854775807`, `
	INSERT INTO publication (project_id, collection, entry_id, from_release, revision_id, slug)
	SELECT @project, i.collection, i.resource_id, @release, i.target_revision_id, i.slug FROM change_set_item i
	WHERE i.change_set_id = @set AND i.resource_type = 'entry' AND i.target_revision_id IS NOT NULL`, `
	INSERT INTO release_item (project_id, number, entry_id, collection, operation, revision_id, before_id)
	SELECT @project, @release, i.resource_id, i.collection, i.operation, i.target_revision_id, i.base_revision_id FROM change_set_item i
	WHERE i.change_set_id = @set AND i.resource_type = 'entry'`,
}

// retireItems takes the items of a set that is over out of the way of those that are live.
const retireItems = `UPDATE change_set_item SET live = false WHERE change_set_id = $1`

func (r *release) movePointers(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	for _, sql := range pointerMoves {
		batch.Queue(sql, pgx.NamedArgs{"set": r.set.ID, "release": r.set.ReleaseNumber, "project": r.project.ID})
	}
	batch.Queue(`SET CONSTRAINTS ` + slugConstraint + ` IMMEDIATE`)
	batch.Queue(retireItems, r.set.ID)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("moving pointers: %w", err)
	}
	return nil
}

var entryEvents = map[content.Operation]event.Type{
	content.OperationCreate:    event.EntryPublished,
	content.OperationUpdate:    event.EntryPublished,
	content.OperationUnpublish: event.EntryUnpublished,
	content.OperationDelete:    event.EntryDeleted,
}

// report records effect 7: an event for each entry, for each asset that was published with them and for the set, and the
// audit record.
func (r *release) report(ctx context.Context, tx pgx.Tx, actor *access.Actor, assets []content.AssetID) error {
	events := make([]event.Event, 0, len(r.items)+len(assets)+1)
	set := event.ChangeSetRef{ID: r.set.ID, Title: r.set.Title}
	for _, i := range r.items {
		if i.operation == content.OperationUnpublish && i.published == nil {
			continue // the revert of a deletion brings an entry back that was not published
		}
		slug := i.slug
		if !i.operation.Publishes() {
			slug = i.publishedSlug
		}
		events = append(events, event.Event{Type: entryEvents[i.operation], Data: event.EntryData{
			Entry: event.EntryRef{ID: i.entry, Collection: i.collection, Slug: slug}, ChangeSet: set, ReleaseNumber: r.set.ReleaseNumber,
		}})
	}
	for _, id := range assets {
		events = append(events, event.Event{Type: event.AssetPublished, Data: event.AssetData{
			Asset: event.AssetRef{ID: id}, ChangeSet: set, ReleaseNumber: r.set.ReleaseNumber,
		}})
	}
	events = append(events, event.Event{Type: event.ChangeSetPublished, Data: stateOf(r.set)})
	if err := event.Emit(ctx, tx, r.project.ID, actor, events...); err != nil {
		return err
	}
	return event.Audit(ctx, tx, actor, event.Record{
		Organization: r.project.Organization, Project: r.project.ID, Action: event.ChangeSetPublish,
		Subject: string(r.set.ID), Detail: map[string]uint64{"releaseNumber": r.set.ReleaseNumber, "items": uint64(len(r.items))},
	})
}

// stamp gives the release its time and makes the set a release (effect 6). Times are whole milliseconds of the
// database's clock, later than that of the release before, and taken under the settle fence: once the fence has been
// held alone, no release with an earlier time can still appear.
func (r *release) stamp(ctx context.Context, tx pgx.Tx, actor *access.Actor) error {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT pg_advisory_xact_lock_shared($1)`, postgres.SettleFence)
	batch.Queue(`
		UPDATE release_head SET number = $2,
		       published_at = greatest(date_trunc('milliseconds', clock_timestamp()), published_at + interval '1 millisecond')
		WHERE project_id = $1 RETURNING published_at`, r.project.ID, r.set.ReleaseNumber).QueryRow(func(row pgx.Row) error {
		return row.Scan(&r.publishedAt)
	})
	batch.Queue(`
		INSERT INTO release (project_id, number, published_at, change_set_id, title, created_by, item_count)
		SELECT project_id, number, published_at, $2, $3, $4, $5 FROM release_head WHERE project_id = $1`,
		r.project.ID, r.set.ID, r.set.Title, actor.IDOrNil(), len(r.items))
	batch.Queue(`
		UPDATE change_set SET status = $2, release_number = $3, updated_at = now() WHERE id = $1 RETURNING updated_at`,
		r.set.ID, string(r.set.Status), r.set.ReleaseNumber).QueryRow(func(row pgx.Row) error { return row.Scan(&r.set.UpdatedAt) })
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("giving a release its time: %w", err)
	}
	r.publishedAt = r.publishedAt.UTC()
	return nil
}

// append tells the edges, as the last statement of the transaction. The change names the release, whose rows never
// change; its digest comes from ids and the stored hashes of fields.
func (r *release) append(ctx context.Context, tx pgx.Tx) (record.Position, error) {
	digest := record.NewReleaseDigest()
	for _, i := range r.items {
		digest.Item(i.record())
	}
	sum := digest.Sum(r.set.ReleaseNumber, r.publishedAt.UnixMilli(), string(r.set.ID))
	return changelog.AppendRelease(ctx, tx, string(r.project.ID), sum, record.Stamp{Number: r.set.ReleaseNumber, Time: r.publishedAt})
}

// record is the item as edges get it, without its fields.
func (i item) record() *recordpb.Item {
	out := &recordpb.Item{Entry: string(i.entry), Collection: i.collection}
	switch i.operation {
	case content.OperationUnpublish:
		out.Operation = recordpb.Operation_OPERATION_UNPUBLISH
		return out
	case content.OperationDelete:
		out.Operation = recordpb.Operation_OPERATION_DELETE
		return out
	}
	out.Operation = recordpb.Operation_OPERATION_PUT
	out.Revision, out.SchemaVersion, out.FieldsHash = string(*i.target), i.version, i.hash
	if i.slug != nil {
		out.Slug = *i.slug
	}
	return out
}
