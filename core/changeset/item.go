package changeset

import (
	"context"
	"errors"
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
	Slug             *string // of the target revision, or where there is none of the base
	ChangeSummary    string
	StagedAt         time.Time
	StaleSince       *uint64 // the newest release of the entry, where that left something else published than the base; nil: it did not
}

const (
	itemColumns = `i.resource_type, i.resource_id, i.operation, i.base_revision_id, i.target_revision_id,
		coalesce(i.collection, ''), coalesce(i.slug, b.slug), coalesce(r.change_summary, ''), i.staged_at,
		CASE WHEN i.live AND (e.deleted_at IS NOT NULL OR e.published_revision_id IS DISTINCT FROM i.base_revision_id)
			THEN (SELECT max(number) FROM release_item WHERE entry_id = e.id) END`

	// itemsBehind are the items of a set behind a resource, with their target revisions r, their bases b and their entries e. Ids begin
	// with their type, so that the primary key has the items in their order, and a page takes no more than its rows.
	itemsBehind = `
		FROM (SELECT * FROM change_set_item
			WHERE change_set_id = $1 AND (resource_type, resource_id) < ($2, $3) AND ($5::text[] IS NULL OR collection = ANY($5))
			ORDER BY resource_type DESC, resource_id DESC LIMIT $4) i
		LEFT JOIN revision r ON r.id = i.target_revision_id LEFT JOIN revision b ON b.id = i.base_revision_id
		LEFT JOIN entry e ON e.id = i.resource_id
		ORDER BY i.resource_type DESC, i.resource_id DESC`
)

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
	of, id := behind(after)
	rows, err := q.Query(ctx, `SELECT `+itemColumns+itemsBehind, set.ID, of, id, page.Size()+1, allowed(actor))
	if err != nil {
		return none, fmt.Errorf("listing items: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Item])
	if err != nil {
		return none, fmt.Errorf("listing items: %w", err)
	}
	return postgres.NewListing(page, items, func(i Item) string { return i.ResourceID }), nil
}

// behind is where the items behind a resource begin, by its type and id; nil is the front.
func behind(after *string) (of content.ResourceType, id string) {
	switch {
	case after == nil:
		return "f", "" // follows every type
	case content.IsID[content.AssetID](*after):
		return content.ResourceAsset, *after
	}
	return content.ResourceEntry, *after
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
		return TakeOut(ctx, tx, set, content.EntryID(resource))
	})
	return set, err
}

// TakeOut takes entries out of a set that the caller holds, as it holds the entries. It is the one way out of an open set, as Queue is
// the one way in: Unstage goes it, and a rebase that drops edits of deleted entries.
func TakeOut(ctx context.Context, tx pgx.Tx, set *ChangeSet, entries ...content.EntryID) error {
	if len(entries) == 0 {
		return nil
	}
	if err := ResetDrafts(ctx, tx, set, entries...); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM change_set_item WHERE change_set_id = $1 AND resource_id = ANY($2)`, set.ID, entries); err != nil {
		return fmt.Errorf("unstaging an item: %w", err)
	}
	return touch(ctx, tx, set)
}

func touch(ctx context.Context, tx pgx.Tx, set *ChangeSet) error {
	err := tx.QueryRow(ctx, `UPDATE change_set SET updated_at = now() WHERE id = $1 RETURNING updated_at`, set.ID).Scan(&set.UpdatedAt)
	if err != nil {
		return fmt.Errorf("touching a change set: %w", err)
	}
	return nil
}

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

// Queue stages operations into a set that the caller holds; staging an entry again overwrites its item. It is the one way in: creates,
// edits, imports, restores, duplicates, undeletes, rebases and reverts go it, and so do unpublishes and deletes. What must happen
// whenever the items of a set change, such as approvals that become stale and a check run that is due, belongs here and into TakeOut.
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
