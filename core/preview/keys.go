package preview

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/credential"
)

// Keys is a read.Keys on PostgreSQL.
type Keys struct{ Pool *pgxpool.Pool }

// Grant implements read.Keys.
func (k Keys) Grant(ctx context.Context, publicID string) (*credential.Grant, error) {
	grant, err := access.Grant(ctx, k.Pool, publicID)
	return grant, postgres.Unavailable(err)
}
