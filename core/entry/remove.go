package entry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
)

// Staged is the answer to an operation that carries no content: it takes effect when the set is published.
type Staged struct {
	ChangeSet content.ChangeSetID
	Operation content.Operation
}

// Unpublish stages the end of an entry's publication. An entry that is not published is CONFLICT.
func Unpublish(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, changeSet string) (Staged, error) {
	return remove(ctx, pool, actor, id, entry, changeSet, content.OperationUnpublish)
}

// Delete stages the deletion of an entry, published or not.
func Delete(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, changeSet string) (Staged, error) {
	return remove(ctx, pool, actor, id, entry, changeSet, content.OperationDelete)
}

func remove(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, changeSet string, operation content.Operation) (Staged, error) {
	var out Staged
	err := changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		to, err := aim(ctx, tx, actor, id, changeSet, entry)
		if err != nil {
			return err
		}
		if operation == content.OperationUnpublish && to.published == nil {
			f := fault.New(fault.Conflict, "the entry %s is not published", entry)
			f.EntryIDs = []string{entry}
			return f
		}
		// What the set proposed before is overwritten, and is the entry's draft no longer.
		if err := changeset.ResetDrafts(ctx, tx, to.set, to.id); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		changeset.Queue(batch, to.set, []changeset.Staging{{
			Entry: to.id, Collection: to.collection, Operation: operation, Base: to.published,
		}})
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("staging a removal: %w", err)
		}
		out = Staged{ChangeSet: to.set.ID, Operation: operation}
		return nil
	})
	return out, err
}
