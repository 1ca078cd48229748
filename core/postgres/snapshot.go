package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// BeginRead is ReadTx for a caller that spreads its reads over several calls and ends the transaction itself, with
// Rollback. The snapshot is taken by its first statement.
func BeginRead(ctx context.Context, pool *pgxpool.Pool) (pgx.Tx, error) {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	return tx, Unavailable(err)
}
