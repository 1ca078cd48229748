// Package changeset owns change sets and releases: which set a write joins, what is staged, validation, gates and the
// one transaction that publishes (interface, "Change set statuses", "Publish effects").
//
// Each finding of a validation is about an entry of the set or an asset: of too many items about those beyond the limit, of too
// much content about the largest entry. An empty set has neither; it is refused with a detail and no findings. Warnings keep
// nothing from being published: so far, that live entries outside of the set refer to what it takes away.
package changeset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// ChangeSet is a group of staged operations that publish together.
type ChangeSet struct {
	ID            content.ChangeSetID
	Project       content.ProjectID
	Title         string
	Description   string
	Status        content.ChangeSetStatus
	ReleaseNumber uint64 // 0 before it is published
	CreatedBy     string // empty: the system
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

const columns = `id, project_id, title, description, status, coalesce(release_number, 0), coalesce(created_by, ''), created_at, updated_at`

// Get returns a change set of a project, or NOT_FOUND.
func Get(ctx context.Context, q postgres.Querier, project content.ProjectID, id string) (*ChangeSet, error) {
	return get(ctx, q, `SELECT `+columns+` FROM change_set WHERE id = $1 AND project_id = $2`, id, project)
}

// lock is Get that keeps the set's status and items as they are until the transaction ends.
func lock(ctx context.Context, tx pgx.Tx, project content.ProjectID, id string) (*ChangeSet, error) {
	return get(ctx, tx, `SELECT `+columns+` FROM change_set WHERE id = $1 AND project_id = $2 FOR NO KEY UPDATE`, id, project)
}

// lockEditable is lock for a set that something is to be staged into or taken from.
func lockEditable(ctx context.Context, tx pgx.Tx, project content.ProjectID, id string) (*ChangeSet, error) {
	set, err := lock(ctx, tx, project, id)
	if err == nil && !set.Status.Editable() {
		return nil, fault.New(fault.Conflict, "the change set %s is %s and takes no more edits", set.ID, set.Status)
	}
	return set, err
}

func get(ctx context.Context, q postgres.Querier, sql string, args ...any) (*ChangeSet, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("reading a change set: %w", err)
	}
	set, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[ChangeSet])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "there is no such change set in the project")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a change set: %w", err)
	}
	return set, nil
}

// List returns the change sets of a project, newest first; an empty status means all of them.
func List(ctx context.Context, q postgres.Querier, project content.ProjectID, status content.ChangeSetStatus, page postgres.Page) (postgres.Listing[ChangeSet], error) {
	var none postgres.Listing[ChangeSet]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	if status != "" && !slices.Contains(content.ChangeSetStatuses(), status) {
		return none, fault.Invalid("status", "must be one of open, ready, published, closed")
	}
	rows, err := q.Query(ctx, `SELECT `+columns+` FROM change_set
		WHERE project_id = $1 AND ($2 = '' OR status = $2) AND ($3::text IS NULL OR id < $3)
		ORDER BY id DESC LIMIT $4`, project, string(status), after, page.Size()+1)
	if err != nil {
		return none, fmt.Errorf("listing change sets: %w", err)
	}
	sets, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ChangeSet])
	if err != nil {
		return none, fmt.Errorf("listing change sets: %w", err)
	}
	return postgres.NewListing(page, sets, func(s ChangeSet) string { return string(s.ID) }), nil
}

// cover refuses an actor who may not touch every entry that the set stages. What concerns a set as a whole needs
// that: editing, validating, publishing and closing it. Items are listed, staged and unstaged each by itself.
func cover(ctx context.Context, q postgres.Querier, actor *access.Actor, set *ChangeSet) error {
	confined, ok := access.Confined(actor)
	if !ok {
		return nil
	}
	var other string
	err := q.QueryRow(ctx, `SELECT coalesce((SELECT collection FROM change_set_item
		WHERE change_set_id = $1 AND collection <> ALL($2) ORDER BY collection LIMIT 1), '')`, set.ID, confined).Scan(&other)
	if err != nil {
		return fmt.Errorf("reading the collections of a change set: %w", err)
	}
	if other == "" {
		return nil
	}
	return access.Confine(actor, other)
}

// allowed are the collections whose items an actor sees; nil stands for all of them.
func allowed(actor *access.Actor) []string {
	confined, _ := access.Confined(actor)
	return confined
}
