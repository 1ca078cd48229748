// Package postgrestest gives tests of core a migrated database of their own. Only tests import it.
package postgrestest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
)

// Open returns a pool on a new database with every migration applied. Both end with the test.
func Open(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return OpenWith(t, nil)
}

// OpenWith is Open for a pool as postgres.OpenWith opens it.
func OpenWith(t testing.TB, attached any) *pgxpool.Pool {
	t.Helper()
	return open(t, "", postgres.Migrate, attached)
}

// run tells test processes apart: another build may fill a database otherwise.
var run = rand.Text()

// OpenFilled is Open on a copy of a database that fill put something into. It is filled once for all tests of this process
// that use the name.
func OpenFilled(t testing.TB, name string, fill func(ctx context.Context, pool *pgxpool.Pool) error) *pgxpool.Pool {
	t.Helper()
	return open(t, run+name, func(ctx context.Context, url string) error {
		if err := postgres.Migrate(ctx, url); err != nil {
			return err
		}
		pool, err := postgres.Open(ctx, url)
		if err != nil {
			return err
		}
		defer pool.Close()
		return fill(ctx, pool)
	}, nil)
}

func open(t testing.TB, name string, prepare func(ctx context.Context, url string) error, attached any) *pgxpool.Pool {
	t.Helper()
	key, err := fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.OpenWith(t.Context(), localtest.PostgresFrom(t, key+name, prepare), attached)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// fingerprint names the migrations of this build: databases that tests copy are made once for each.
func fingerprint() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(postgres.Migrations, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := postgres.Migrations.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", path, len(data))
		h.Write(data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
