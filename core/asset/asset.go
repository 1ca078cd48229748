// Package asset keeps the records of a project's files, and says which of them content may name (interface, "Asset").
package asset

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
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

// Misfits finds the uses that content may not have: of an asset that the project lacks or has deleted, and of one whose type
// the field does not allow.
func (f Found) Misfits(uses []value.AssetUse) []fault.Item {
	var items []fault.Item
	for _, use := range uses {
		if item, misfit := f.Misfit(use); misfit {
			items = append(items, item)
		}
	}
	return items
}

// Misfit is Misfits for one use.
func (f Found) Misfit(use value.AssetUse) (fault.Item, bool) {
	a, exists := f[use.Asset]
	switch {
	case !exists:
		return item(use, "must name an asset of the project; there is no %s", use.Asset), true
	case a.State == content.AssetDeleted:
		return item(use, "must name an asset of the project; %s has been deleted", use.Asset), true
	}
	return f.Mistyped(use)
}

// Mistyped is Misfit for the type alone, of deleted assets too.
func (f Found) Mistyped(use value.AssetUse) (fault.Item, bool) {
	a, exists := f[use.Asset]
	if !exists || use.Field == nil || use.Field.Accepts(a.ContentType) { // richText has no field, and allows every type
		return fault.Item{}, false
	}
	return item(use, "must name an asset of the type %s; %s is %s", schema.ShowAll(use.Field.Allowed), use.Asset, schema.Show(a.ContentType)), true
}

func item(use value.AssetUse, format string, args ...any) fault.Item {
	return fault.Item{Path: use.Path, Code: string(schema.CodeAsset), Message: fmt.Sprintf(format, args...)}
}

// Deleted finds the uses of assets that the project has deleted.
func (f Found) Deleted(uses []value.AssetUse) []value.AssetUse {
	var deleted []value.AssetUse
	for _, use := range uses {
		if f[use.Asset].State == content.AssetDeleted {
			deleted = append(deleted, use)
		}
	}
	return deleted
}

// IDs returns the assets of uses.
func IDs(uses []value.AssetUse) []content.AssetID {
	ids := make([]content.AssetID, len(uses))
	for i, use := range uses {
		ids[i] = use.Asset
	}
	return ids
}
