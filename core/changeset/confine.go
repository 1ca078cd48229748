package changeset

import (
	"context"
	"fmt"

	"svc/core/access"
	"svc/core/postgres"
)

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
