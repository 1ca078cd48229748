package schemadeploy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
)

// Target is an entry that something refers to.
type Target struct {
	Collection string
	Slug       *string // of the draft
	Removed    bool    // with its collection: it is kept, but no one finds it
	Published  bool
	Deleted    bool
}

// Targets returns those of these entries that the project has, whatever their state.
func Targets(ctx context.Context, q postgres.Querier, project content.ProjectID, entries []content.EntryID) (map[content.EntryID]Target, error) {
	found := make(map[content.EntryID]Target, len(entries))
	if len(entries) == 0 {
		return found, nil
	}
	rows, err := q.Query(ctx, `
		SELECT e.id, e.collection, e.draft_slug, c.removed_at IS NOT NULL, e.published_revision_id IS NOT NULL, e.deleted_at IS NOT NULL
		FROM unnest($2::text[]) AS w(id)
		JOIN entry e ON e.id = w.id AND e.project_id = $1
		JOIN collection c ON (c.project_id, c.name) = (e.project_id, e.collection)`, project, entries)
	if err != nil {
		return nil, fmt.Errorf("looking for referenced entries: %w", err)
	}
	var id content.EntryID
	var t Target
	_, err = pgx.ForEachRow(rows, []any{&id, &t.Collection, &t.Slug, &t.Removed, &t.Published, &t.Deleted}, func() error {
		found[id] = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for referenced entries: %w", err)
	}
	return found, nil
}
