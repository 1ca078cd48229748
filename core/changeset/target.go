package changeset

import (
	"context"
	"errors"
	"fmt"
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

// Write runs a transaction that stages something (see Target and Spread). It starts over at ErrMoved.
func Write(ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx) error) error {
	for range 10 {
		err := postgres.InTx(ctx, pool, do)
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return fault.New(fault.Conflict, "the entry joins and leaves change sets faster than this write can follow; try again")
}

// Target is where a write goes: its set and the project, both held until the transaction ends.
type Target struct {
	Set     *ChangeSet
	Project *project.Project
	// candidates are the sets the entry was in before the set was locked.
	candidates []string
	explicit   bool
}

// ResolveTarget chooses the set that a write joins by the interface's "Entry write targeting rules", and locks it and the
// project. A write without a set makes one when no open or ready set has the entry; a new entry is in none. The
// caller locks the entry next and then calls Settle.
func ResolveTarget(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string, entry content.EntryID) (*Target, error) {
	t := &Target{explicit: changeSet != ""}
	if !t.explicit {
		var err error
		if t.candidates, err = Holding(ctx, tx, id, entry); err != nil {
			return nil, err
		}
		if len(t.candidates) > 1 {
			return nil, ambiguous(entry, t.candidates)
		}
	}
	err := t.lockSet(ctx, tx, actor, id, changeSet)
	if err != nil {
		return nil, err
	}
	t.Project, err = project.Share(ctx, tx, id)
	return t, err
}

func (t *Target) lockSet(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string) (err error) {
	switch {
	case t.explicit:
		t.Set, err = lockEditable(ctx, tx, id, changeSet)
	case len(t.candidates) == 1:
		t.Set, err = lock(ctx, tx, id, t.candidates[0])
		if err == nil && !t.Set.Status.Editable() {
			return ErrMoved
		}
	default:
		t.Set, err = create(ctx, tx, actor, id, NewChangeSet{Title: WorkingTitle})
	}
	return err
}

// Confirm confirms the choice once the entry is locked, since others may have staged it meanwhile.
func (t *Target) Confirm(ctx context.Context, tx pgx.Tx, entry content.EntryID) error {
	if t.explicit {
		return nil
	}
	now, err := Holding(ctx, tx, t.Project.ID, entry)
	if err != nil {
		return err
	}
	if !slices.Equal(now, t.candidates) {
		return ErrMoved
	}
	return nil
}

// Holding returns the open and ready sets that an entry is in.
func Holding(ctx context.Context, q postgres.Querier, id content.ProjectID, entry content.EntryID) ([]string, error) {
	all, err := holding(ctx, q, id, entry)
	return all[entry], err
}

// holding is Holding for many entries; those that are in no set are left out.
func holding(ctx context.Context, q postgres.Querier, id content.ProjectID, entries ...content.EntryID) (map[content.EntryID][]string, error) {
	sets := map[content.EntryID][]string{}
	if len(entries) == 0 || entries[0] == "" {
		return sets, nil
	}
	rows, err := q.Query(ctx, `
		SELECT e.id, i.change_set_id FROM unnest($2::text[]) AS w(id) JOIN entry e ON e.id = w.id AND e.project_id = $1
		JOIN change_set_item i ON i.resource_type = 'entry' AND i.resource_id = e.id AND i.live
		ORDER BY e.id, i.change_set_id`, id, entries)
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

func ambiguous(entry content.EntryID, sets []string) error {
	f := fault.New(fault.Conflict, "the entry %s is in %d open change sets; say which one with changeSetId", entry, len(sets))
	f.EntryIDs, f.ChangeSetIDs = []string{string(entry)}, sets
	return f
}
