package postgres

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Versions returns at which version the database is, and which one this build knows as the newest. While a program
// runs, a newer one may migrate the database.
func Versions(ctx context.Context, q Querier) (have, known int64, err error) {
	if known, err = newest(); err != nil {
		return 0, 0, err
	}
	err = q.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&have)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the database's version: %w", err)
	}
	return have, known, nil
}

// newest is the number of the last migration of this build.
func newest() (version int64, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number: %w", name, err)
		}
		version = max(version, n)
	}
	return version, nil
}
