package changelog

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
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

func TestACommitWakesTheRelayAndARollbackDoesNot(t *testing.T) {
	t.Parallel()
	commits := NewCommits()
	pool := postgrestest.OpenWith(t, commits)
	const woken = "prj_woken"
	create(t, pool, woken)
	wakes := make(chan string, 10)
	stop := NewSource(pool, commits, slog.New(slog.DiscardHandler)).Listen(func(log string) { wakes <- log })
	named(t, pool, woken, 1)
	if log := <-wakes; log != woken {
		t.Errorf("woken for %s", log)
	}
	giveUp := errors.New("give up")
	err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		return errors.Join(name(t.Context(), tx, woken, "x"), giveUp)
	})
	if !errors.Is(err, giveUp) || len(wakes) > 0 {
		t.Errorf("a rollback woke, %v", err)
	}
	stop()
	if named(t, pool, woken, 1); len(wakes) > 0 {
		t.Error("who stopped listening is woken")
	}
}
