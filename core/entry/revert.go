package entry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/event"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// revert is the revert of a release under way.
type revert struct {
	tx      pgx.Tx
	actor   *access.Actor
	project *project.Project
	set     *changeset.ChangeSet
	staging *staging

	release  *changeset.Release
	items    []changeset.ReleaseItem
	entries  map[content.EntryID]*row
	last     map[content.EntryID]content.Operation // before the release, of entries that were not published then
	removals []changeset.Staging
}

// Revert drafts a new change set that restores the state before a release, of everything that it touched: what it created is
// unpublished, what it changed gets its former content, what it unpublished or deleted is published again, and what it brought back
// from a deletion is deleted. What it deleted though it was not published is there again, unpublished or as a draft; that too is
// staged as an unpublish. A deleted entry is deleted no more once its return is staged. Entries that a later release touched are
// CONFLICT with those releases, unless force; so are slugs that others have by now. Content that does not fit the schemas of now, or
// has values of fields that they have no more, is VALIDATION_FAILED with all that is wrong. Nothing is published.
func Revert(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, release, title string, force bool) (*changeset.ChangeSet, error) {
	var out *changeset.ChangeSet
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		r := &revert{tx: tx, actor: actor}
		if err := r.open(ctx, id, release); err != nil {
			return err
		}
		if !force {
			if err := r.refuseLater(ctx); err != nil {
				return err
			}
		}
		if title == "" {
			title = fmt.Sprintf("Revert of release %d", r.release.Number)
		}
		var err error
		if r.set, err = changeset.CreateIn(ctx, tx, actor, id, changeset.NewChangeSet{Title: title}); err != nil {
			return err
		}
		out = r.set
		return r.write(ctx)
	})
	return out, err
}

// open reads the release and locks its entries.
func (r *revert) open(ctx context.Context, id content.ProjectID, release string) (err error) {
	if r.project, err = project.Share(ctx, r.tx, id); err != nil {
		return err
	}
	r.staging = newStaging(r.tx, r.actor, r.project)
	if r.release, r.items, err = changeset.GetRelease(ctx, r.tx, access.System(), id, release); err != nil {
		return err
	}
	ids := make([]content.EntryID, len(r.items))
	for n, i := range r.items {
		if err := access.Confine(r.actor, i.Collection); err != nil {
			return err
		}
		ids[n] = i.Entry
	}
	if len(ids) >= postgres.Bulk {
		if err := postgres.BeginBulk(ctx, r.tx); err != nil {
			return err
		}
	}
	rows, err := r.tx.Query(ctx, `
		SELECT id, collection, published_revision_id, last_published_revision_id, draft_revision_id, deleted_at IS NOT NULL
		FROM entry e WHERE id = ANY($1) AND `+inForce+` ORDER BY id FOR NO KEY UPDATE`, ids)
	if err != nil {
		return fmt.Errorf("locking the entries of a release: %w", err)
	}
	r.entries = map[content.EntryID]*row{}
	var one row
	_, err = pgx.ForEachRow(rows, []any{&one.id, &one.collection, &one.published, &one.lastPublished, &one.draft, &one.deleted}, func() error {
		r.entries[one.id] = new(one)
		one = row{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("locking the entries of a release: %w", err)
	}
	return nil
}

// refuseLater is CONFLICT where later releases touched the same entries.
func (r *revert) refuseLater(ctx context.Context) error {
	// Without a project for the later ones, no index but that of entries can be taken for a good one.
	rows, err := r.tx.Query(ctx, `
		SELECT later.entry_id, later.number FROM release_item own
		JOIN release_item later ON later.entry_id = own.entry_id AND later.number > own.number
		WHERE own.project_id = $1 AND own.number = $2 ORDER BY later.entry_id, later.number`, r.project.ID, int64(r.release.Number))
	if err != nil {
		return fmt.Errorf("looking for later releases: %w", err)
	}
	later := map[content.EntryID][]string{}
	var entry content.EntryID
	var number int64
	_, err = pgx.ForEachRow(rows, []any{&entry, &number}, func() error {
		later[entry] = append(later[entry], fmt.Sprint(number))
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for later releases: %w", err)
	}
	if len(later) == 0 {
		return nil
	}
	f := fault.New(fault.Conflict, "later releases changed again what release %d touched; force reverts it all the same", r.release.Number)
	for _, id := range slices.Sorted(maps.Keys(later)) {
		f.EntryIDs = append(f.EntryIDs, string(id))
		f.Items = append(f.Items, fault.Item{
			Path: "", Code: "changed_later", Message: "was changed again in release " + strings.Join(later[id], ", "),
			ResourceType: string(content.ResourceEntry), ResourceID: string(id),
		})
	}
	return f
}

// findLast finds what the last release before this one to touch an entry did to it, of entries that were not published then. That one
// is deleted no more since it was staged again does not count: no release says so.
func (r *revert) findLast(ctx context.Context) error {
	var ids []content.EntryID
	for _, i := range r.items {
		if i.BeforeID == nil {
			ids = append(ids, i.Entry)
		}
	}
	rows, err := r.tx.Query(ctx, `
		SELECT w.id, last.operation FROM unnest($1::text[]) AS w(id) CROSS JOIN LATERAL (
			SELECT operation FROM release_item WHERE entry_id = w.id AND number < $2 ORDER BY number DESC LIMIT 1) last`,
		ids, int64(r.release.Number))
	if err != nil {
		return fmt.Errorf("looking for earlier releases: %w", err)
	}
	r.last = map[content.EntryID]content.Operation{}
	var id content.EntryID
	var operation content.Operation
	_, err = pgx.ForEachRow(rows, []any{&id, &operation}, func() error {
		r.last[id] = operation
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for earlier releases: %w", err)
	}
	return nil
}

// returns reports whether an entry that is deleted now was there before the release, and not published.
func (r *revert) returns(i changeset.ReleaseItem) bool {
	if e := r.entries[i.Entry]; i.BeforeID != nil || e == nil || !e.deleted {
		return false
	}
	last, touched := r.last[i.Entry]
	return touched && last != content.OperationDelete || !touched && i.Operation == content.OperationDelete
}

// former is the revision that an entry is brought back with; nil where it is not.
func (r *revert) former(i changeset.ReleaseItem) *content.RevisionID {
	if r.returns(i) {
		return r.entries[i.Entry].draft
	}
	return i.BeforeID
}

func (r *revert) remove(e *row, operation content.Operation) {
	r.removals = append(r.removals, changeset.Staging{Entry: e.id, Collection: e.collection, Operation: operation, Base: e.published})
}

// write stages the state before the release.
func (r *revert) write(ctx context.Context) error {
	if err := r.findLast(ctx); err != nil {
		return err
	}
	needs := func(i changeset.ReleaseItem) []*content.RevisionID { return []*content.RevisionID{r.former(i)} }
	if err := stageEach(ctx, r.staging, r.items, needs, r.stage); err != nil {
		return err
	}
	if len(r.removals)+len(r.staging.owners) == 0 {
		return fault.New(fault.Conflict, "nothing is left of release %d to revert", r.release.Number)
	}
	if err := r.staging.finish(ctx, r.entries); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	changeset.Queue(batch, r.set, r.removals)
	if err := r.tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("staging a revert: %w", err)
	}
	return event.Audit(ctx, r.tx, r.actor, event.Record{
		Organization: r.project.Organization, Project: r.project.ID, Action: event.ReleaseRevert, Subject: string(r.set.ID),
		Detail: map[string]uint64{"releaseNumber": r.release.Number},
	})
}

// stage stages what an item was before the release.
func (r *revert) stage(ctx context.Context, i changeset.ReleaseItem, read revisions) error {
	e, former := r.entries[i.Entry], read.of(r.former(i))
	switch {
	case e == nil: // its collection is not deployed any more, so that no reader sees it
	case r.returns(i):
		r.remove(e, content.OperationUnpublish)
		return r.staging.bringBackUnpublished(ctx, e, former)
	case i.BeforeID == nil && e.deleted:
	case i.BeforeID == nil && r.last[e.id] == content.OperationDelete:
		r.remove(e, content.OperationDelete)
	case equal(i.BeforeID, e.published) && !e.deleted:
	case i.BeforeID == nil:
		r.remove(e, content.OperationUnpublish)
	default:
		return r.staging.bringBack(ctx, r.set, e, former, fmt.Sprintf("As before release %d", r.release.Number))
	}
	return nil
}
