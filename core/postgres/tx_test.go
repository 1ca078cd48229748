package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
	"svc/shared/fault"
)

// TestFailuresThatAreCertain: a transaction that failed before its commit, or whose commit was refused, had no effect.
func TestFailuresThatAreCertain(t *testing.T) {
	t.Parallel()
	pool, err := postgres.Open(t.Context(), localtest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(t.Context(), `CREATE TABLE t (n int, CONSTRAINT one UNIQUE (n) DEFERRABLE INITIALLY DEFERRED)`)
	if err != nil {
		t.Fatal(err)
	}
	mistake := errors.New("a mistake")
	for name, do := range map[string]func(tx pgx.Tx) error{
		"refused by the work": func(pgx.Tx) error { return mistake },
		"refused at the commit": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO t VALUES (1), (1)`)
			return err
		},
		"committed after a failure": func(tx pgx.Tx) error {
			_, _ = tx.Exec(t.Context(), `SELECT 1/0`)
			return nil
		},
		"ended by the database": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
			return err
		},
	} {
		err := postgres.InTx(t.Context(), pool, do)
		if err == nil || errors.Is(err, postgres.ErrUncertain) {
			t.Errorf("%s: %v", name, err)
		}
		if away := name == "ended by the database"; fault.Is(err, fault.Unavailable) != away {
			t.Errorf("%s: %v", name, err)
		}
	}
}
