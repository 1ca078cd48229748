package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/deploy/local/link"
	"svc/deploy/local/localtest"
	"svc/shared/fault"
)

// throughLink opens a pool that reaches the database over a link.
func throughLink(t *testing.T, direct string) (*link.Link, *pgxpool.Pool) {
	t.Helper()
	wire, address := linkTo(t, direct)
	return wire, open(t, address)
}

// linkTo returns a link to the database, and the address through it.
func linkTo(t *testing.T, direct string) (*link.Link, string) {
	t.Helper()
	address, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := link.Open(address.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wire.Close(); err != nil {
			t.Error(err)
		}
	})
	address.Host = wire.Address()
	return wire, address.String()
}

// TestADatabaseThatGoesAwayIsUnavailable: whatever a transaction is doing when its connection breaks off, and whatever the
// driver calls that.
func TestADatabaseThatGoesAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	direct := localtest.Postgres(t)
	wire, pool := throughLink(t, direct)
	exec(t, open(t, direct), `CREATE TABLE line (text text)`)
	ctx := context.Background()
	for name, do := range map[string]func(tx pgx.Tx) error{
		"nothing": func(tx pgx.Tx) error { wire.Sever(); return nil },
		"a statement": func(tx pgx.Tx) error {
			wire.Sever()
			_, err := tx.Exec(ctx, `SELECT 1`)
			return err
		},
		"a statement after one that failed": func(tx pgx.Tx) error {
			wire.Sever()
			_, first := tx.Exec(ctx, `SELECT 1`)
			_, err := tx.Exec(ctx, `SELECT 1`)
			if first == nil {
				return nil
			}
			return err
		},
		"what the driver has no name for": func(tx pgx.Tx) error {
			wire.Sever()
			_, _ = tx.Exec(ctx, `SELECT 1`)
			return errors.New("pipeline closed")
		},
		"a row": func(tx pgx.Tx) error {
			wire.Sever()
			return tx.QueryRow(ctx, `SELECT 1`).Scan(new(int))
		},
		"rows": func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `SELECT repeat('x', 100000) FROM generate_series(1, 10000)`)
			if err != nil {
				return err
			}
			_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
				wire.Sever()
				return pgx.RowTo[string](row)
			})
			return err
		},
		"a batch that the server ends": func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue(`INSERT INTO line VALUES ($1)`, "x")
			batch.Queue(`SELECT pg_terminate_backend(pg_backend_pid())`)
			for range 100 {
				batch.Queue(`INSERT INTO line VALUES ($1)`, "x")
			}
			return tx.SendBatch(ctx, batch).Close()
		},
		"a batch": func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			for range 100 {
				batch.Queue(`INSERT INTO line VALUES ($1)`, "x")
			}
			wire.Sever()
			return tx.SendBatch(ctx, batch).Close()
		},
		"a batch, in the middle of it": func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			for range 10 {
				batch.Queue(`INSERT INTO line VALUES ($1)`, "x").Exec(func(_ pgconn.CommandTag) error { wire.Sever(); return nil })
				batch.Queue(`SELECT repeat('x', 1000000)`).Query(func(rows pgx.Rows) error { return nil })
			}
			return tx.SendBatch(ctx, batch).Close()
		},
		"a copy": func(tx pgx.Tx) error {
			wire.Sever()
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"line"}, []string{"text"}, pgx.CopyFromRows([][]any{{"x"}}))
			return err
		},
		"a copy, in the middle of it": func(tx pgx.Tx) error {
			n := 0
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"line"}, []string{"text"}, pgx.CopyFromFunc(func() ([]any, error) {
				if n++; n == 100 {
					wire.Sever()
				}
				if n > 100_000 {
					return nil, nil
				}
				return []any{fmt.Sprint("line ", n)}, nil
			}))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				err := postgres.InTx(ctx, pool, do)
				if f := fault.As(err); f.Code != fault.Unavailable || f.RetryAfter == 0 {
					t.Fatalf("got %v", err)
				}
			}
		})
	}
}

// TestADatabaseThatTakesNoConnectionIsUnavailable: it is reached, and says nothing until the time to connect is over.
func TestADatabaseThatTakesNoConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	wire, address := linkTo(t, localtest.Postgres(t))
	wire.Set(link.Faults{Cut: true})
	defer wire.Mend()
	pool, err := pgxpool.New(t.Context(), address+separator(address)+"connect_timeout=3")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(t.Context(), `SELECT 1`)
	if err = postgres.Unavailable(err); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}

func separator(address string) string {
	if strings.Contains(address, "?") {
		return "&"
	}
	return "?"
}

// TestWhatTheDriverSaysOfAClosedConnection: of one that it closed itself, after the server had gone in the middle of an
// answer, it gives neither the cause nor leave to try again.
func TestWhatTheDriverSaysOfAClosedConnection(t *testing.T) {
	t.Parallel()
	if err := postgres.Unavailable(fmt.Errorf("reading: %w", pgconn.ErrConnClosed)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}
