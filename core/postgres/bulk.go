package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Bulk is from how many rows on a transaction counts as a bulk one.
const Bulk = 50

// BeginBulk prepares a transaction that reads and writes many rows, so that what each of them takes depends neither on the
// statistics of tables nor on their sizes: a statement is planned each time it runs, since a plan that was made for small
// tables, and is kept with its prepared statement, would be ruinous; and every join looks its rows up in an index.
func BeginBulk(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
		set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`)
	if err != nil {
		return fmt.Errorf("preparing a bulk transaction: %w", err)
	}
	return nil
}
