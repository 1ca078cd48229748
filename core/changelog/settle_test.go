package changelog

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/replication/record"
)

func settle(t *testing.T, s *Source, all bool) []record.Heartbeat {
	t.Helper()
	parts, err := s.Settle(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func TestTimeIsNotSettledWhileAReleaseTimeIsUncommitted(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	create(t, pool, "prj_a")
	if beat := settle(t, s, false)[0]; beat.Settled.IsZero() || len(beat.Heads) != 1 || beat.All() {
		t.Fatalf("%+v", beat)
	}
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer rollback(t, tx)
	if _, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared($1)`, postgres.SettleFence); err != nil {
		t.Fatal(err)
	}
	var published time.Time
	if err := tx.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&published); err != nil {
		t.Fatal(err)
	}
	if beat := settle(t, s, false)[0]; !beat.Settled.IsZero() || len(beat.Heads) != 1 {
		t.Fatalf("settled at %s with a release under way", beat.Settled)
	}
	s.settled = time.Time{} // patience is at an end: the next one waits for the fence, not for ever
	if beat := settle(t, s, false)[0]; !beat.Settled.IsZero() {
		t.Fatalf("settled at %s with a release under way", beat.Settled)
	}
	if err := name(t.Context(), tx, "prj_a", "x"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	beat := settle(t, s, false)[0]
	if beat.Settled.Before(published.Truncate(time.Millisecond)) || beat.Heads[0].Position.Seq != 1 {
		t.Fatalf("%+v, release at %s", beat, published)
	}
	free(t, pool)
}

func rollback(t *testing.T, tx pgx.Tx) {
	if err := tx.Rollback(context.Background()); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
		t.Error(err)
	}
}

// free waits until no one holds the fence: a session that was left may come to what it was last asked for a moment later.
func free(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	until(t, "no advisory lock is held", func() bool {
		var locks int
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
			(SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&locks); err != nil {
			t.Fatal(err)
		}
		return locks == 0
	})
}

func TestAFailedHeartbeatLeavesTheFence(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	for i := range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
		_, err := s.Settle(ctx, true)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Log(err)
		}
	}
	exec(t, pool, `ALTER TABLE log_head RENAME TO gone`)
	if _, err := s.Settle(t.Context(), true); err == nil {
		t.Fatal("a heartbeat without heads")
	}
	// A session that is being closed may hold its lock a moment longer.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := pool.Exec(ctx, `SELECT pg_advisory_lock($1), pg_advisory_unlock($1)`, postgres.SettleFence); err != nil {
		t.Fatal(err)
	}
	free(t, pool)
}

// The fence may come in the moment in which the wait for it ends: PostgreSQL says that the wait is over, and leaves the lock
// with the session, which must not take it into the pool. Two functions stand for that moment here.
func TestAFenceThatComesAsTheWaitEndsIsLeft(t *testing.T) {
	t.Parallel()
	pool := database(t)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range []string{
		`CREATE FUNCTION public.pg_try_advisory_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false'`,
		`CREATE FUNCTION public.pg_advisory_lock(key bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
			PERFORM pg_catalog.pg_advisory_lock(key);
			RAISE 'canceling statement due to lock timeout' USING ERRCODE = '55P03';
		END $$`,
		`SET search_path = public, pg_catalog`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	f := fence{conn: conn}
	if err := f.take(t.Context(), true); err != nil || f.held {
		t.Fatalf("held: %t, %v", f.held, err)
	}
	free(t, pool)
}

func TestHeartbeatsListHeadsByRange(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	const logs = 2*record.MaxBeatHeads + 10
	exec(t, pool, `INSERT INTO log_head (log, updated_at) SELECT 'prj_' || lpad(n::text, 6, '0'), now() - interval '1 hour'
		FROM generate_series(1, $1) n`, logs)
	named(t, pool, "prj_000007", 1)
	beat := settle(t, s, false)
	if len(beat) != 1 || len(beat[0].Heads) != 1 || beat[0].Heads[0].Log != "prj_000007" || beat[0].After != "" || beat[0].Through != "" {
		t.Fatalf("%+v", beat)
	}
	if age := beat[0].Settled.Sub(beat[0].Since); age < 9*time.Second || age > 11*time.Second {
		t.Fatalf("lists what changed within %s", age)
	}
	parts := settle(t, s, true)
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	seen, after := map[string]bool{}, ""
	for _, p := range parts {
		if !p.All() || p.After != after || p.Settled != parts[0].Settled {
			t.Fatalf("part after %q through %q follows %q", p.After, p.Through, after)
		}
		for _, h := range p.Heads {
			if h.Log <= p.After || p.Through != "" && h.Log > p.Through {
				t.Fatalf("%s lies outside of its part", h.Log)
			}
			seen[h.Log] = true
		}
		after = p.Through
		if data, err := p.Encode(); err != nil || len(data) > 1<<19 {
			t.Fatalf("a part of %d bytes, %v", len(data), err)
		}
	}
	if len(seen) != logs || after != "" || !seen[fmt.Sprintf("prj_%06d", logs)] {
		t.Fatalf("%d logs, the last part ends at %q", len(seen), after)
	}
}
