package changeset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// ErrMoved ends a transaction in which what its locks were chosen by changed while they were awaited: an entry joined or
// left a set, for instance. Locks are taken from the set to the entry, so the way back is to start over.
var ErrMoved = errors.New("what the write was aimed at changed meanwhile")

// Write runs a transaction that stages something (see Targets). It starts over at ErrMoved.
func Write(ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx) error) error {
	for range 10 {
		err := postgres.InTx(ctx, pool, do)
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return fault.New(fault.Conflict, "the entry joins and leaves change sets faster than this write can follow; try again")
}

// Targets is where the writes of entries go: all into the named set, or by the interface's "Entry write targeting rules",
// entry by entry, into the set that has it; those of entries in no open or ready set, and of new ones, share one new set.
type Targets struct {
	Project *project.Project

	actor   *access.Actor
	entries []content.EntryID
	named   *ChangeSet                   // all writes join it; nil: as the rules say
	holding map[content.EntryID][]string // the open and ready sets of each entry
	held    map[content.ChangeSetID]*ChangeSet
	made    *ChangeSet // nil until a write needs it
}

// ResolveTargets chooses the sets that writes of these entries join. It locks them, in the order of their ids, and then the
// project. The caller locks the entries next, in the order of theirs, and then calls Confirm.
func ResolveTargets(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string, entries ...content.EntryID) (*Targets, error) {
	t := &Targets{actor: actor, entries: entries, held: map[content.ChangeSetID]*ChangeSet{}}
	var err error
	if changeSet != "" {
		t.named, err = lockEditable(ctx, tx, id, changeSet)
	} else if t.holding, err = holding(ctx, tx, id, entries...); err == nil {
		err = t.lockSets(ctx, tx, id)
	}
	if err != nil {
		return nil, err
	}
	t.Project, err = project.Share(ctx, tx, id)
	return t, err
}

func (t *Targets) lockSets(ctx context.Context, tx pgx.Tx, id content.ProjectID) error {
	wanted := map[string]bool{}
	for _, sets := range t.holding {
		if len(sets) == 1 {
			wanted[sets[0]] = true
		}
	}
	for _, set := range slices.Sorted(maps.Keys(wanted)) {
		held, err := lock(ctx, tx, id, set)
		if err != nil {
			return err
		}
		if !held.Status.Editable() {
			return ErrMoved
		}
		t.held[held.ID] = held
	}
	return nil
}

// Confirm confirms the choice once the entries are locked, since others may have staged them meanwhile.
func (t *Targets) Confirm(ctx context.Context, tx pgx.Tx) error {
	if t.named != nil {
		return nil
	}
	now, err := holding(ctx, tx, t.Project.ID, t.entries...)
	if err == nil && !maps.EqualFunc(now, t.holding, slices.Equal) {
		return ErrMoved
	}
	return err
}

// Joins returns the set that a write of the entry joins; empty stands for the new one. An entry in several sets is
// CONFLICT with their ids.
func (t *Targets) Joins(entry content.EntryID) (content.ChangeSetID, error) {
	sets := t.holding[entry]
	switch {
	case t.named != nil:
		return t.named.ID, nil
	case len(sets) == 0:
		return "", nil
	case len(sets) == 1:
		return content.ChangeSetID(sets[0]), nil
	}
	f := fault.New(fault.Conflict, "the entry %s is in %d open change sets; say which one with changeSetId", entry, len(sets))
	f.EntryIDs, f.ChangeSetIDs = []string{string(entry)}, sets
	return "", f
}

// Set returns a set that writes join, as Joins says. The new one is made when it is first asked for.
func (t *Targets) Set(ctx context.Context, tx pgx.Tx, id content.ChangeSetID) (set *ChangeSet, err error) {
	switch {
	case t.named != nil:
		return t.named, nil
	case id != "":
		return t.held[id], nil
	case t.made == nil:
		t.made, err = create(ctx, tx, t.actor, t.Project.ID, NewChangeSet{Title: WorkingTitle})
	}
	return t.made, err
}

// Holding returns the open and ready sets that an entry is in.
func Holding(ctx context.Context, q postgres.Querier, id content.ProjectID, entry content.EntryID) ([]string, error) {
	all, err := holding(ctx, q, id, entry)
	return all[entry], err
}

// Holder is an open or ready set that stages something for an entry.
type Holder struct {
	ChangeSet string
	Operation content.Operation
}

// Holders returns the open and ready sets that an entry is in, by their ids, with what they stage for it.
func Holders(ctx context.Context, q postgres.Querier, entry content.EntryID) ([]Holder, error) {
	rows, _ := q.Query(ctx, `
		SELECT change_set_id, operation FROM change_set_item
		WHERE resource_type = 'entry' AND resource_id = $1 AND live ORDER BY change_set_id`, entry) // collecting the rows tells its error too
	holders, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Holder])
	if err != nil {
		return nil, fmt.Errorf("finding what change sets stage for an entry: %w", err)
	}
	return holders, nil
}

// holding is Holding for many entries; those that are in no set are left out.
func holding(ctx context.Context, q postgres.Querier, id content.ProjectID, entries ...content.EntryID) (map[content.EntryID][]string, error) {
	sets := map[content.EntryID][]string{}
	if len(entries) == 0 {
		return sets, nil
	}
	rows, err := q.Query(ctx, `
		SELECT e.id, i.change_set_id FROM change_set_item i JOIN entry e ON e.id = i.resource_id AND e.project_id = $1
		WHERE i.resource_type = 'entry' AND i.resource_id = ANY($2) AND i.live ORDER BY e.id, i.change_set_id`, id, entries)
	if err != nil {
		return nil, fmt.Errorf("finding the change sets of entries: %w", err)
	}
	var entry content.EntryID
	var set string
	_, err = pgx.ForEachRow(rows, []any{&entry, &set}, func() error {
		sets[entry] = append(sets[entry], set)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("finding the change sets of entries: %w", err)
	}
	return sets, nil
}
