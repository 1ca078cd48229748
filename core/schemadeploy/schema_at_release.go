package schemadeploy

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/schema"
)

// SchemaAtRelease returns the schema and the version under which release n was published, or nil where the collection did not
// exist then. The label is that of the time.
func SchemaAtRelease(ctx context.Context, q postgres.Querier, project content.ProjectID, name string, release uint64) (*schema.Collection, uint32, error) {
	var number uint64
	var version *uint32
	var label, hash string
	err := q.QueryRow(ctx, `
		SELECT p.number, c.version, c.label, coalesce(v.hash, '') FROM schema_push p
		JOIN schema_push_collection c ON (c.project_id, c.number) = (p.project_id, p.number) AND c.name = $2
		LEFT JOIN collection_version v ON (v.project_id, v.name, v.version) = (c.project_id, c.name, c.version)
		WHERE p.project_id = $1 AND p.from_release <= $3 ORDER BY p.number DESC LIMIT 1`,
		project, name, int64(release)).Scan(&number, &version, &label, &hash)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && version == nil {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the schema of %s at release %d: %w", name, release, err)
	}
	c, err := parsedVersion(ctx, q, project, name, label, hash, *version)
	return c, *version, err
}
