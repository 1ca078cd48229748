package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that goose runs on
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrations are the migrations of this build.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// ErrNewerDatabase is in the error of Migrate where the database was migrated by a later build.
var ErrNewerDatabase = errors.New("the database is newer than this program")

// Migrate brings the database to the version of this program. Several cores may call it at once: a session lock
// lets one migrate while the others wait. It refuses a database that a later build has migrated.
func Migrate(ctx context.Context, url string) (err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("opening the database to migrate it: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := fs.Sub(Migrations, "migrations")
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // every second, for five minutes
	if err != nil {
		return fmt.Errorf("preparing the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("preparing the migrations: %w", err)
	}
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	return refuseNewer(ctx, provider) // a later build may have been the one that held the lock
}

func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the database's version: %w", err)
	}
	if have > want {
		return fmt.Errorf("%w: it is at version %d and this build knows version %d; start a build at least as new as "+
			"the one that migrated it, or restore a backup from before", ErrNewerDatabase, have, want)
	}
	return nil
}

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
	names, err := fs.Glob(Migrations, "migrations/*.sql")
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
