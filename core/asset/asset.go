// Package asset keeps the records of a project's files, and says which of them content may name (interface, "Asset").
package asset

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
)

// Asset is what content that names an asset has to know of it.
type Asset struct {
	State       content.AssetState
	ContentType string
	DefaultAlt  string
}

// Found are the assets that a project has among those that were looked for.
type Found map[content.AssetID]Asset

const find = `
	SELECT id, state, content_type, default_alt FROM asset WHERE project_id = $1 AND id = ANY($2)`

// Find returns those of these assets that the project has, deleted ones too.
func Find(ctx context.Context, q postgres.Querier, project content.ProjectID, ids []content.AssetID) (Found, error) {
	return query(ctx, q, find, project, ids)
}

// Hold is Find, and keeps the assets from being deleted, and from getting bytes of another type, until the transaction ends.
// Others may hold them too, and may edit and publish them meanwhile.
func Hold(ctx context.Context, tx pgx.Tx, project content.ProjectID, ids []content.AssetID) (Found, error) {
	return query(ctx, tx, find+` ORDER BY id FOR KEY SHARE`, project, ids)
}

// Lock is Hold, and keeps the assets from being edited and published by others too. Those who hold them go on.
func Lock(ctx context.Context, tx pgx.Tx, project content.ProjectID, ids []content.AssetID) (Found, error) {
	return query(ctx, tx, find+` ORDER BY id FOR NO KEY UPDATE`, project, ids)
}

func query(ctx context.Context, q postgres.Querier, sql string, project content.ProjectID, ids []content.AssetID) (Found, error) {
	found := make(Found, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := q.Query(ctx, sql, project, ids)
	if err != nil {
		return nil, fmt.Errorf("looking for assets: %w", err)
	}
	var id content.AssetID
	var a Asset
	_, err = pgx.ForEachRow(rows, []any{&id, &a.State, &a.ContentType, &a.DefaultAlt}, func() error {
		found[id] = a
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for assets: %w", err)
	}
	return found, nil
}

// Publish makes the assets that content names published, but for those that stay as they are (interface, "Publish effects",
// 5), and returns the ids of those that moved, in order.
func Publish(ctx context.Context, tx pgx.Tx, project content.ProjectID, named Found) ([]content.AssetID, error) {
	var ids []content.AssetID
	for id, a := range named {
		if a.State.PublishedByUse() {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `
		WITH moved AS (
			UPDATE asset SET state = 'published', updated_at = now()
			WHERE project_id = $1 AND id = ANY($2) AND state IN ('pending', 'draft') RETURNING id)
		SELECT id FROM moved ORDER BY id`, project, ids)
	if err != nil {
		return nil, fmt.Errorf("publishing assets: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowTo[content.AssetID])
	if err != nil {
		return nil, fmt.Errorf("publishing assets: %w", err)
	}
	return moved, nil
}
