package account

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/fault"
)

// Bootstrap makes the first organization of a deployment and its key with every scope. It is CONFLICT once the
// deployment has an organization.
func Bootstrap(ctx context.Context, pool *pgxpool.Pool, in NewOrganization, keyLabel string) (Founded, error) {
	var out Founded
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, postgres.BootstrapLock); err != nil {
			return fmt.Errorf("locking the first organization: %w", err)
		}
		var slug string
		err = tx.QueryRow(ctx, `SELECT coalesce((SELECT slug FROM organization ORDER BY id LIMIT 1), '')`).Scan(&slug)
		if err != nil {
			return fmt.Errorf("looking for organizations: %w", err)
		}
		if slug != "" {
			return fault.New(fault.Conflict, "this deployment already has an organization (%s); make further keys with one of its own", slug)
		}
		out, err = found(ctx, tx, access.System(), in, keyLabel)
		return err
	})
	return out, err
}
