// Package postgrestest gives tests of core a migrated database of their own. Only tests import it.
package postgrestest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
)

// Open returns a pool on a new database with every migration applied. Both end with the test.
func Open(t testing.TB) *pgxpool.Pool {
	t.Helper()
	key, err := postgres.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), localtest.PostgresFrom(t, key, postgres.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
