package entry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/event"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
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
			return about(to.id, "the entry %s is not published", entry)
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

// Discard gives up an orphaned draft: that of an entry which was never published and is in no open or ready set, its set
// having been closed or the entry unstaged. The entry is deleted at once, since no one but editors ever saw it. A draft that a
// set stages is CONFLICT with the sets; so is an entry that was published, since that takes a change set.
func Discard(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry string) (*Entry, error) {
	if !content.IsID[content.EntryID](entry) {
		return nil, missing(entry)
	}
	if err := reach(ctx, pool, actor, id, entry); err != nil {
		return nil, err
	}
	var out *Entry
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Share(ctx, tx, id)
		if err != nil {
			return err
		}
		r, err := lockEntry(ctx, tx, actor, id, entry)
		if err != nil {
			return err
		}
		if err := r.refuseDeleted(); err != nil {
			return err
		}
		sets, err := changeset.Holding(ctx, tx, id, r.id)
		if err != nil {
			return err
		}
		f := about(r.id, "the draft of the entry %s is staged; unstage it instead", entry)
		f.ChangeSetIDs = sets
		switch {
		case len(sets) > 0:
			return f
		case r.lastPublished != nil:
			f.Detail = fmt.Sprintf("the entry %s was published, so it has no draft outside of change sets; delete it in a change set instead", entry)
			return f
		}
		if _, err := tx.Exec(ctx, `UPDATE entry SET deleted_at = now() WHERE id = $1`, r.id); err != nil {
			return fmt.Errorf("discarding a draft: %w", err)
		}
		err = event.Audit(ctx, tx, actor, event.Record{
			Organization: p.Organization, Project: id, Action: event.EntryDiscard, Subject: entry,
		})
		if err != nil {
			return err
		}
		out, err = read(ctx, tx, id, entry)
		return err
	})
	return out, err
}
