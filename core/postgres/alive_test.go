package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"svc/deploy/local/localtest"
)

// TestNoRequestMeetsAConnectionThatEnded: every connection of the pool was in use a moment ago when the server ends them
// all, as a restart does. What asks next is answered.
func TestNoRequestMeetsAConnectionThatEnded(t *testing.T) {
	t.Parallel()
	url := localtest.Postgres(t)
	pool, other := open(t, url), open(t, url)
	const many = 10
	var pids []uint32
	var held []*pgxpool.Conn
	for range many {
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
		pids = append(pids, conn.Conn().PgConn().PID())
	}
	for _, conn := range held {
		conn.Release()
	}
	for _, pid := range pids {
		exec(t, other, `SELECT pg_terminate_backend($1, 60000)`, pid)
	}
	for i := range many {
		var got int
		if err := pool.QueryRow(context.Background(), `SELECT 1`).Scan(&got); err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
	}
}

// TestAConnectionThatIsNotMadeIsGivenUp: where the database is reached and says nothing, no one waits for ever.
func TestAConnectionThatIsNotMadeIsGivenUp(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	if most := pool.Config().ConnConfig.ConnectTimeout; most <= 0 || most > 30*time.Second {
		t.Errorf("a connection may take %s to be made", most)
	}
}

// TestASlowStatementLeavesTheConnectionUsable: where sending one takes long the driver has somebody read meanwhile, who by
// chance still waits when the answer is there.
func TestASlowStatementLeavesTheConnectionUsable(t *testing.T) {
	t.Parallel()
	pool := open(t, localtest.Postgres(t))
	text := strings.Repeat("x", 1<<20)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for range 32 {
		group.Go(func() error {
			for range 8 {
				var n int
				if err := pool.QueryRow(ctx, `SELECT length($1)`, text).Scan(&n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}
