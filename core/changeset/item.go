package changeset

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// Item is one staged operation (interface, "Change set item").
type Item struct {
	ResourceType     content.ResourceType
	ResourceID       string
	Operation        content.Operation
	BaseRevisionID   *content.RevisionID // published when it was staged; nil for an unpublished entry
	TargetRevisionID *content.RevisionID // nil for unpublish and delete
	Collection       string
	Slug             *string // of the target revision
	ChangeSummary    string
	StagedAt         time.Time
}

// Items returns what is staged in a set, by resource id from the newest; of other collections than the actor is
// confined to, nothing.
func Items(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, changeSet string, page postgres.Page) (postgres.Listing[Item], error) {
	var none postgres.Listing[Item]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	set, err := Get(ctx, q, project, changeSet)
	if err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, `
		SELECT i.resource_type, i.resource_id, i.operation, i.base_revision_id, i.target_revision_id,
		       coalesce(i.collection, ''), i.slug, coalesce(r.change_summary, ''), i.staged_at
		FROM change_set_item i LEFT JOIN revision r ON r.id = i.target_revision_id
		WHERE i.change_set_id = $1 AND ($2::text IS NULL OR i.resource_id < $2)
		  AND ($4::text[] IS NULL OR i.collection = ANY($4))
		ORDER BY i.resource_id DESC LIMIT $3`, set.ID, after, page.Size()+1, allowed(actor))
	if err != nil {
		return none, fmt.Errorf("listing items: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Item])
	if err != nil {
		return none, fmt.Errorf("listing items: %w", err)
	}
	return postgres.NewListing(page, items, func(i Item) string { return i.ResourceID }), nil
}

// Unstage takes one item out of an open or ready set. The revisions it made stay in history.
func Unstage(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet, resource string) (*ChangeSet, error) {
	var set *ChangeSet
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if set, err = lockEditable(ctx, tx, id, changeSet); err != nil {
			return err
		}
		if _, err := project.Share(ctx, tx, id); err != nil {
			return err
		}
		var collection string
		err = tx.QueryRow(ctx, `SELECT coalesce((SELECT collection FROM change_set_item
			WHERE change_set_id = $1 AND resource_id = $2), '')`, set.ID, resource).Scan(&collection)
		if err != nil {
			return fmt.Errorf("reading an item: %w", err)
		}
		if collection == "" {
			return fault.New(fault.NotFound, "the change set stages nothing for %q", resource)
		}
		if err := access.Confine(actor, collection); err != nil {
			return err
		}
		if err := ResetDrafts(ctx, tx, set, content.EntryID(resource)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM change_set_item WHERE change_set_id = $1 AND resource_id = $2`, set.ID, resource); err != nil {
			return fmt.Errorf("unstaging an item: %w", err)
		}
		return touch(ctx, tx, set)
	})
	return set, err
}

func touch(ctx context.Context, tx pgx.Tx, set *ChangeSet) error {
	err := tx.QueryRow(ctx, `UPDATE change_set SET updated_at = now() WHERE id = $1 RETURNING updated_at`, set.ID).Scan(&set.UpdatedAt)
	if err != nil {
		return fmt.Errorf("touching a change set: %w", err)
	}
	return nil
}
