package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Bulk is from how many rows on a transaction counts as a bulk one.
const Bulk = 500

// BeginBulk prepares a transaction that writes many rows. Statements are planned each time they run: a plan that was
// made for small tables, and is kept with its prepared statement, would be ruinous now.
func BeginBulk(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SET LOCAL plan_cache_mode = force_custom_plan`); err != nil {
		return fmt.Errorf("preparing a bulk transaction: %w", err)
	}
	return nil
}

// EndBulk brings the statistics of tables up to what the transaction wrote, for every plan that follows its commit;
// PostgreSQL itself would take up to a minute to notice. A table that is being analysed already is left out.
func EndBulk(ctx context.Context, tx pgx.Tx, tables ...string) error {
	if _, err := tx.Exec(ctx, `ANALYZE (SKIP_LOCKED) `+strings.Join(tables, ", ")); err != nil {
		return fmt.Errorf("refreshing statistics: %w", err)
	}
	return nil
}
