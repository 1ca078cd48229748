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
