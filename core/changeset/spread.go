package changeset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/project"
	"svc/shared/content"
)

// Spread is where the writes of many entries go: the named set, or by the targeting rules, entry by entry, the set that has
// it; those of entries in no set share one new set.
type Spread struct {
	Project *project.Project

	actor   *access.Actor
	entries []content.EntryID
	named   *ChangeSet                   // all writes join it; nil: as the rules say
	holding map[content.EntryID][]string // the open and ready sets of each entry
	held    map[content.ChangeSetID]*ChangeSet
	made    *ChangeSet // nil until a write needs it
}

// ResolveTargets is ResolveTarget for many entries. It locks the sets that writes join, in the order of their ids, and then the project. The
// caller locks the entries next, in the order of theirs, and then calls Settle.
func ResolveTargets(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string, entries []content.EntryID) (*Spread, error) {
	s := &Spread{actor: actor, entries: entries, held: map[content.ChangeSetID]*ChangeSet{}}
	var err error
	if changeSet != "" {
		s.named, err = lockEditable(ctx, tx, id, changeSet)
	} else if s.holding, err = holding(ctx, tx, id, entries...); err == nil {
		err = s.lockSets(ctx, tx, id)
	}
	if err != nil {
		return nil, err
	}
	s.Project, err = project.Share(ctx, tx, id)
	return s, err
}

func (s *Spread) lockSets(ctx context.Context, tx pgx.Tx, id content.ProjectID) error {
	wanted := map[string]bool{}
	for _, sets := range s.holding {
		if len(sets) == 1 {
			wanted[sets[0]] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT `+columns+` FROM change_set WHERE id = ANY($1) AND project_id = $2
		ORDER BY id FOR NO KEY UPDATE`, slices.Collect(maps.Keys(wanted)), id)
	if err != nil {
		return fmt.Errorf("locking change sets: %w", err)
	}
	sets, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[ChangeSet])
	if err != nil {
		return fmt.Errorf("locking change sets: %w", err)
	}
	for _, set := range sets {
		if !set.Status.Editable() {
			return ErrMoved
		}
		s.held[set.ID] = set
	}
	return nil
}

// Confirm confirms the choice once the entries are locked, since others may have staged them meanwhile.
func (s *Spread) Confirm(ctx context.Context, tx pgx.Tx) error {
	if s.named != nil {
		return nil
	}
	now, err := holding(ctx, tx, s.Project.ID, s.entries...)
	if err != nil {
		return err
	}
	if !maps.EqualFunc(now, s.holding, slices.Equal) {
		return ErrMoved
	}
	return nil
}

// Joins returns the set that a write of the entry joins; empty stands for the new one. An entry in several sets is
// CONFLICT with their ids.
func (s *Spread) Joins(entry content.EntryID) (content.ChangeSetID, error) {
	sets := s.holding[entry]
	switch {
	case s.named != nil:
		return s.named.ID, nil
	case len(sets) == 0:
		return "", nil
	case len(sets) > 1:
		return "", ambiguous(entry, sets)
	}
	return content.ChangeSetID(sets[0]), nil
}

// Set returns a set that writes join, as Joins says. The new one is made when it is first asked for.
func (s *Spread) Set(ctx context.Context, tx pgx.Tx, id content.ChangeSetID) (*ChangeSet, error) {
	switch {
	case s.named != nil:
		return s.named, nil
	case id != "":
		return s.held[id], nil
	case s.made == nil:
		var err error
		if s.made, err = create(ctx, tx, s.actor, s.Project.ID, NewChangeSet{Title: WorkingTitle}); err != nil {
			return nil, err
		}
		s.held[s.made.ID] = s.made
	}
	return s.made, nil
}

// Made returns the id of the new set; empty where no write needed one.
func (s *Spread) Made() content.ChangeSetID {
	if s.made == nil {
		return ""
	}
	return s.made.ID
}
