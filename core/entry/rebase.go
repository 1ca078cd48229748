package entry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/diff"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// OnConflict says what a rebase does with values that both sides changed (interface, "Rebase").
type OnConflict string

// What a rebase does with conflicts.
const (
	Fail       OnConflict = "fail" // nothing is written
	TakeMine   OnConflict = "take-mine"
	TakeTheirs OnConflict = "take-theirs"
)

// Reasons of conflicts that are about an entry as a whole.
const (
	EntryUnpublished diff.Reason = "entry_unpublished" // it was published when it was staged, and is not now
	EntryDeleted     diff.Reason = "entry_deleted"
)

// Rebased says what a rebase did, or would do.
type Rebased struct {
	ChangeSet *changeset.ChangeSet
	// Items are those that were behind what is published, by entry id. Others stay as they are.
	Items []RebasedItem
	// Stale are entries of which something else is published since, and that stay stale: the set unpublishes or deletes them, or their
	// collection is not deployed any more.
	Stale []content.EntryID
	// Errors are what a rebase would be refused for, but for the conflicts of its plans. Only a dry run has any.
	Errors []fault.Item
}

// errDryRun undoes what a dry run wrote.
var errDryRun = errors.New("a dry run")

// RebasedItem is what became of one item. The conflicts of its plan were resolved as the caller wanted.
type RebasedItem struct {
	Entry      content.EntryID
	Collection string
	Slug       *string             // of the set's draft
	Base       *content.RevisionID // what is published now; nil: nothing
	Target     *content.RevisionID // the new draft; nil in a dry run, and where the edit was dropped with its entry
	*diff.Plan
}

// behind is an item whose base is not what is published now.
type behind struct {
	*row
	base, target *content.RevisionID

	plan *diff.Plan
	slug *string // of the target
}

func (b *behind) isGone() bool { return b.deleted || b.published == nil }

// sides are the revisions that a plan is made of.
func (b *behind) sides() []*content.RevisionID {
	return []*content.RevisionID{b.base, b.target, b.published}
}

type schemaVersion struct {
	collection string
	version    uint32
}

// rebase is a rebase under way.
type rebase struct {
	tx      pgx.Tx
	actor   *access.Actor
	set     *changeset.ChangeSet
	targets *changeset.Targets
	take    OnConflict
	staging *staging
	made    map[schemaVersion]*schema.Collection
	items   []*behind
	stale   []content.EntryID

	refused bool                     // by a plan
	dropped []content.EntryID        // edits of them are, with them
	unfit   map[content.EntryID]*row // of which nothing is staged, since it does not fit
}

// Rebase replays the edits of a change set on what is published now, in one transaction (interface, "Rebase"): each item of which
// something else has been published gets a new draft and a new base. Conflicts are CONFLICT with all of them, unless onConflict says
// whose value to take. What comes out must fit the schemas of now. A dry run returns the plan, and what the rebase would be refused for,
// and changes nothing.
func Rebase(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string, on OnConflict, dryRun bool) (*Rebased, error) {
	return rebaseBy(ctx, pool, actor, id, changeSet, on, dryRun, usualChunk)
}

func rebaseBy(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string, on OnConflict, dryRun bool, most chunkSize) (*Rebased, error) {
	if !slices.Contains([]OnConflict{Fail, TakeMine, TakeTheirs}, on) {
		return nil, fault.Invalid("onConflict", "must be one of fail, take-mine, take-theirs")
	}
	var out *Rebased
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		r := &rebase{tx: tx, actor: actor, take: on, made: map[schemaVersion]*schema.Collection{}, unfit: map[content.EntryID]*row{}}
		if err := r.open(ctx, id, changeSet); err != nil {
			return err
		}
		r.staging.most = most
		err := r.write(ctx)
		out = r.rebased(dryRun)
		if dryRun {
			if out.Errors, err = r.foreseen(err); err == nil {
				err = errDryRun
			}
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return out, err
}

// foreseen are the items of a refusal. Conflicts for which no side is taken yet are none: the plans have them.
func (r *rebase) foreseen(refusal error) ([]fault.Item, error) {
	var f *fault.Error
	if !errors.As(refusal, &f) || len(f.Items) == 0 {
		return nil, refusal
	}
	if r.take == Fail && r.refuseConflicts() != nil {
		return nil, nil
	}
	return f.Items, nil
}

// open locks the set and its entries, and finds the items that are behind.
func (r *rebase) open(ctx context.Context, id content.ProjectID, changeSet string) (err error) {
	if r.targets, err = changeset.ResolveTargets(ctx, r.tx, r.actor, id, changeSet); err != nil {
		return err
	}
	if r.set, err = r.targets.Set(ctx, r.tx, ""); err != nil {
		return err
	}
	r.staging = newStaging(r.tx, r.actor, r.targets.Project)
	rows, err := r.tx.Query(ctx, `
		SELECT e.id, e.collection, i.operation, i.base_revision_id, i.target_revision_id,
		       e.published_revision_id, e.last_published_revision_id, e.deleted_at IS NOT NULL, `+inForce+`
		FROM change_set_item i JOIN entry e ON e.id = i.resource_id
		WHERE i.change_set_id = $1 AND i.resource_type = 'entry' ORDER BY e.id FOR NO KEY UPDATE OF e`, r.set.ID)
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	one := &behind{row: &row{}}
	var operation content.Operation
	var deployed bool
	items := 0
	_, err = pgx.ForEachRow(rows, []any{&one.id, &one.collection, &operation, &one.base, &one.target, &one.published, &one.lastPublished, &one.deleted, &deployed}, func() error {
		items++
		moved := *one
		moved.row = new(*one.row)
		switch {
		case !one.deleted && equal(one.base, one.published):
		case operation.Publishes() && deployed:
			r.items = append(r.items, &moved)
		default:
			r.stale = append(r.stale, one.id)
		}
		one.base, one.target, one.published, one.lastPublished = nil, nil, nil, nil
		return access.Confine(r.actor, one.collection)
	})
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	if items >= postgres.Bulk {
		return postgres.BeginBulk(ctx, r.tx)
	}
	return nil
}

func equal(a, b *content.RevisionID) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// plan makes the plan of an item.
func (r *rebase) plan(ctx context.Context, b *behind, base, mine, theirs storedRevision) (*diff.Plan, error) {
	if b.isGone() {
		reason := EntryUnpublished
		if b.deleted {
			reason = EntryDeleted
		}
		return &diff.Plan{Conflicts: []diff.Conflict{{Base: base.Fields, Mine: mine.Fields, Reason: reason}}}, nil
	}
	f, err := r.staging.frame(ctx, b.collection)
	if err != nil {
		return nil, err
	}
	if mine.version == f.version {
		return diff.MergeRevisions(f.schema, f.schema, f.locales, base.Revision, mine.Revision, theirs.Revision)
	}
	at := schemaVersion{b.collection, mine.version}
	if r.made[at] == nil {
		if r.made[at], err = schemadeploy.SchemaOfVersion(ctx, r.tx, r.set.Project, at.collection, at.version); err != nil {
			return nil, err
		}
	}
	return diff.MergeRevisions(r.made[at], f.schema, f.locales, base.Revision, mine.Revision, theirs.Revision)
}

// rebased tells what was done, or is to be.
func (r *rebase) rebased(dryRun bool) *Rebased {
	out := &Rebased{ChangeSet: r.set, Stale: r.stale}
	for _, b := range r.items {
		item := RebasedItem{Entry: b.id, Collection: b.collection, Slug: b.slug, Base: b.published, Plan: b.plan}
		if made, stored := r.staging.made[b.id]; stored && !dryRun {
			item.Target = &made
		}
		out.Items = append(out.Items, item)
	}
	return out
}
