package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
	"svc/shared/fault"
)

func open(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func exec(t *testing.T, q postgres.Querier, sql string, args ...any) {
	t.Helper()
	if _, err := q.Exec(context.Background(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestMigrateByManyAtOnce(t *testing.T) {
	t.Parallel()
	url := localtest.Postgres(t)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := postgres.Migrate(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var n int
	if err := open(t, url).QueryRow(t.Context(), `SELECT count(*) FROM organization`).Scan(&n); err != nil || n != 0 {
		t.Fatal(n, err)
	}
}

func TestMigrateRefusesANewerDatabase(t *testing.T) {
	t.Parallel()
	url := localtest.Postgres(t)
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	exec(t, open(t, url), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
	err := postgres.Migrate(t.Context(), url)
	if !errors.Is(err, postgres.ErrNewerDatabase) || !strings.Contains(err.Error(), "version 99999") {
		t.Fatalf("got %v", err)
	}
}

func TestOpenFailsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	if _, err := postgres.Open(t.Context(), "postgres://nobody:secret@127.0.0.1:1/none?sslmode=disable"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Fatalf("got %v", err)
	}
}

func TestInTxRunsAgainAfterADeadlock(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	exec(t, pool, `CREATE TABLE account (id int PRIMARY KEY, n int)`)
	exec(t, pool, `INSERT INTO account VALUES (1, 0), (2, 0)`)
	var meet sync.WaitGroup
	meet.Add(2)
	var once [2]sync.Once
	var group sync.WaitGroup
	for i, order := range [][]int{{1, 2}, {2, 1}} {
		group.Go(func() {
			err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
				for n, id := range order {
					if n == 1 { // both hold one row before either asks for the other
						once[i].Do(func() { meet.Done(); meet.Wait() })
					}
					if _, err := tx.Exec(t.Context(), `UPDATE account SET n = n + 1 WHERE id = $1`, id); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var sum int
	if err := pool.QueryRow(t.Context(), `SELECT sum(n) FROM account`).Scan(&sum); err != nil || sum != 4 {
		t.Fatalf("sum %d, %v", sum, err)
	}
}

func TestReadTxSeesOneState(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	exec(t, pool, `CREATE TABLE counter (n int)`)
	err := postgres.ReadTx(t.Context(), pool, func(tx pgx.Tx) error {
		var before, after int
		if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM counter`).Scan(&before); err != nil {
			return err
		}
		exec(t, pool, `INSERT INTO counter VALUES (1)`)
		if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM counter`).Scan(&after); err != nil {
			return err
		}
		if before != after {
			t.Errorf("saw %d, then %d", before, after)
		}
		_, err := tx.Exec(t.Context(), `INSERT INTO counter VALUES (2)`)
		return err
	})
	if err == nil {
		t.Error("a read transaction wrote")
	}
}

func TestMapErrorByConstraintName(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	exec(t, pool, `CREATE TABLE thing (slug text CONSTRAINT thing_slug_key UNIQUE)`)
	exec(t, pool, `INSERT INTO thing VALUES ('a')`)
	taken := fault.New(fault.Conflict, "taken")
	_, err := pool.Exec(t.Context(), `INSERT INTO thing VALUES ('a')`)
	mapped := postgres.MapError(err, map[string]*fault.Error{"thing_slug_key": taken})
	if !fault.Is(mapped, fault.Conflict) || !errors.Is(mapped, err) || taken.Err != nil {
		t.Fatalf("got %v", mapped)
	}
	if other := postgres.MapError(err, map[string]*fault.Error{"other": taken}); other != err {
		t.Fatalf("got %v", other)
	}
}

func TestAFinishedDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
		return err
	})
	if f := fault.As(err); f.Code != fault.Unavailable || f.RetryAfter == 0 {
		t.Fatalf("got %v", err)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for in, want := range map[int]int{0: 25, -3: 1, 1: 1, 100: 100, 101: 100} {
		if got := (postgres.Page{Limit: in}).Size(); got != want {
			t.Errorf("limit %d: %d rows, want %d", in, got, want)
		}
	}
	list := postgres.NewListing(postgres.Page{Limit: 2}, []string{"c", "b", "a"}, func(s string) string { return s })
	after, err := postgres.Page{Cursor: list.NextCursor}.After()
	if err != nil || *after != "b" || len(list.Items) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list := postgres.NewListing(postgres.Page{Limit: 2}, []string{"b", "a"}, func(s string) string { return s }); list.NextCursor != "" {
		t.Fatal("the last page has no next")
	}
	for _, cursor := range []string{"%", "=", strings.Repeat("a", 500)} {
		if _, err := (postgres.Page{Cursor: cursor}).After(); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	if _, err := (postgres.Page{Cursor: list.NextCursor}).Before(); !fault.Is(err, fault.ValidationFailed) {
		t.Error("a cursor of a list of names is none of a list of numbers")
	}
	if _, err := (postgres.Page{Cursor: list.NextCursor, List: "another"}).After(); !fault.Is(err, fault.ValidationFailed) {
		t.Error("a cursor of one list is none of another")
	}
}
