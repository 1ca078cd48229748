package changelog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/replication/publish"
)

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// background runs f until the test ends or stop is called.
func background(t *testing.T, f func(ctx context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// member is a core that holds shards.
type member struct {
	mu   sync.Mutex
	held publish.Shards
	stop func()
}

func join(t *testing.T, pool *pgxpool.Pool) *member {
	m := &member{}
	s := source(t, pool)
	m.stop = background(t, func(ctx context.Context) error {
		return s.Hold(ctx, func(held publish.Shards) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.held = held
		})
	})
	return m
}

func (m *member) shards() publish.Shards {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

func TestCoresShareTheShards(t *testing.T) {
	t.Parallel()
	pool := database(t)
	one := join(t, pool)
	until(t, "one holds all", func() bool { return one.shards() == ^publish.Shards(0) })
	two := join(t, pool)
	halves := func() bool {
		a, b := one.shards(), two.shards()
		return bits.OnesCount64(uint64(a)) == 32 && bits.OnesCount64(uint64(b)) == 32 && a&b == 0
	}
	until(t, "each holds half", halves)
	// A lost session gives up its shards and comes back for them.
	exec(t, pool, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::int8::oid AND objid <> 0
		AND pid <> pg_backend_pid() LIMIT 1`, int64(shardLocks))
	until(t, "each holds half again", halves)
	one.stop()
	if one.shards() != 0 {
		t.Error("a core that stopped holds shards")
	}
	until(t, "the other one holds all", func() bool { return two.shards() == ^publish.Shards(0) })
}

func TestCommitsWakeThisProcessAndNotificationsOthers(t *testing.T) {
	t.Parallel()
	commits := NewCommits()
	pool := postgrestest.OpenWith(t, commits)
	const woken = "prj_woken"
	create(t, pool, woken)
	type wake struct {
		log  string
		here bool
	}
	wakes := make(chan wake, 1000)
	s := NewSource(pool, commits, slog.New(slog.NewTextHandler(t.Output(), nil)))
	background(t, func(ctx context.Context) error {
		return s.Listen(ctx, func(log string, here bool) {
			wakes <- wake{log, here}
		})
	})
	got := func(want wake) bool {
		select {
		case w := <-wakes:
			return w == want
		case <-time.After(20 * time.Millisecond):
			return false
		}
	}
	until(t, "a notification arrives", func() bool {
		return s.Notify(t.Context(), []string{"prj_other"}) == nil && got(wake{"prj_other", false})
	})
	named(t, pool, woken, 1)
	until(t, "the commit wakes", func() bool { return got(wake{woken, true}) })

	giveUp := errors.New("give up")
	err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		return errors.Join(name(t.Context(), tx, woken, "x"), giveUp)
	})
	if !errors.Is(err, giveUp) || got(wake{woken, true}) {
		t.Fatalf("a rollback woke, %v", err)
	}
	// More than one notification can hold, and a lost session.
	exec(t, pool, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()`)
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("prj_%026d", i))
	}
	until(t, "all notifications arrive", func() bool {
		if err := s.Notify(t.Context(), many); err != nil {
			t.Fatal(err)
		}
		heard := map[string]bool{}
		for len(heard) < len(many) {
			select {
			case w := <-wakes:
				heard[w.log] = true
			case <-time.After(200 * time.Millisecond):
				return false
			}
		}
		return true
	})
}
