package schemadeploy

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// Version is one immutable version of a collection.
type Version struct {
	Number    uint32
	Canonical []byte // canonical JSON, as it was pushed
	Hash      string
	Summary   string
	CreatedBy string // empty: the system
	CreatedAt time.Time
}

// Versions returns the versions of a collection, newest first, or NOT_FOUND where it never was.
func Versions(ctx context.Context, q postgres.Querier, project content.ProjectID, name string, page postgres.Page) (postgres.Listing[Version], error) {
	var none postgres.Listing[Version]
	before, err := page.Before()
	if err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, `
		SELECT version, canonical, hash, summary, coalesce(created_by, ''), created_at FROM collection_version
		WHERE project_id = $1 AND name = $2 AND version < $3::bigint ORDER BY version DESC LIMIT $4`,
		project, name, before, page.Size()+1)
	if err != nil {
		return none, fmt.Errorf("listing versions: %w", err)
	}
	list, err := postgres.CollectPage(page, rows, pgx.RowToStructByPos[Version], func(v Version) int { return len(v.Canonical) },
		func(v Version) string { return strconv.FormatUint(uint64(v.Number), 10) })
	if err != nil {
		return none, fmt.Errorf("listing versions: %w", err)
	}
	if len(list.Items) == 0 && page.Cursor == "" {
		return none, fault.New(fault.NotFound, "the project has no collection %s", schema.Quote(name))
	}
	return list, nil
}

// SchemaOfVersion returns a version of a collection, with the label it has now.
func SchemaOfVersion(ctx context.Context, q postgres.Querier, project content.ProjectID, name string, version uint32) (*schema.Collection, error) {
	var hash, label string
	err := q.QueryRow(ctx, `
		SELECT v.hash, c.label FROM collection_version v JOIN collection c ON (c.project_id, c.name) = (v.project_id, v.name)
		WHERE v.project_id = $1 AND v.name = $2 AND v.version = $3`, project, name, version).Scan(&hash, &label)
	if err != nil {
		return nil, fmt.Errorf("reading version %d of the collection %s: %w", version, name, err)
	}
	return parsedVersion(ctx, q, project, name, label, hash, version)
}

// parsedVersion returns a version, which is parsed once.
func parsedVersion(ctx context.Context, q postgres.Querier, project content.ProjectID, name, label, hash string, version uint32) (*schema.Collection, error) {
	if c := parsed.get(hash, label); c != nil {
		return c, nil
	}
	set := Set{{Schema: &schema.Collection{Name: name, Label: label}, Version: version, Hash: hash}}
	if err := fill(ctx, q, project, set, []string{name}); err != nil {
		return nil, err
	}
	return set[0].Schema, nil
}
