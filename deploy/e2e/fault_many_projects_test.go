package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"svc/bench/many"
	"svc/core/postgres"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/testrand"
)

const (
	manyMessages     = 1_000                  // that an edge reads again
	postgresNoMemory = "out of shared memory" // what PostgreSQL says when locks find no room
)

// TestAnEdgeOfManyProjects: an edge that holds thousands of projects with a release each has them all after a start, after a
// kill too, and reads no more than 1,000 messages again. Neither making that many nor following them runs PostgreSQL out of
// room for locks.
func TestAnEdgeOfManyProjects(t *testing.T) {
	b := &manyBed{bed: newPrivateBed(t, local.Config{Edges: 1}), random: testrand.New(t)}
	pool, err := postgres.Open(t.Context(), b.stack.ServiceURL(local.Postgres))
	b.check(err)
	t.Cleanup(pool.Close)
	b.Projects = many.Projects{Pool: pool, Organization: string(b.project.Organization)}
	b.watchLocks(func() {
		b.make(localtest.Size(1_000, 10_000))
		b.arrive()
	})
	b.readAll()

	b.check(b.stack.KillPart("edge-1"))
	b.startAgain()
	b.check(b.stack.StopPart("edge-1"))
	b.startAgain()

	b.check(b.stack.KillPart("edge-1"))
	b.make(localtest.Size(500, 1_000)) // of which come more messages than it may read
	b.until(b.unsent)
	b.startAgain()

	b.check(b.stack.KillPart("edge-1"))
	b.check(b.stack.ClearPart("edge-1"))
	b.check(b.stack.StartPart(t.Context(), "edge-1"))
	b.arrive()
	b.readAll()
	b.noLockLost()
}

// manyBed is a deployment of many projects.
type manyBed struct {
	*bed
	many.Projects
	random *rand.Rand
}

func (b *manyBed) make(n int) {
	b.t.Helper()
	b.check(b.Make(b.t.Context(), n))
}

// readAll reads every project.
func (b *manyBed) readAll() {
	b.t.Helper()
	b.check(b.Read(b.t.Context(), b.edge1, b.random))
}

// arrive waits until the edge follows every project and lacks nothing, and no message is still to come.
func (b *manyBed) arrive() {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		figures, err := b.metrics(ctx, "edge-1")
		if err != nil {
			return err
		}
		if logs, behind := figures["svc_follow_logs"], figures["svc_follow_logs_behind"]; logs <= float64(b.Made) || behind > 0 {
			return fmt.Errorf("the edge follows %.0f logs for %d projects, %.0f of them are behind", logs, b.Made, behind)
		}
		return b.unsent(ctx)
	})
}

// unsent is an error while changes are not on the stream yet. What comes there later than an edge asks core for it would look
// as if it were read again.
func (b *manyBed) unsent(ctx context.Context) error {
	core, err := b.metrics(ctx, "core")
	if err != nil {
		return err
	}
	var changes float64
	if err := b.Pool.QueryRow(ctx, `SELECT sum(seq) FROM log_head`).Scan(&changes); err != nil {
		return err
	}
	if sent := core["svc_relay_changes_total"]; sent < changes {
		return fmt.Errorf("%.0f of %.0f changes are on the stream", sent, changes)
	}
	return nil
}

// startAgain starts the edge and counts what it reads. Whatever came since it was ready last is more than it may read again:
// it asks core for the rest.
func (b *manyBed) startAgain() {
	b.t.Helper()
	b.check(b.stack.StartPart(b.t.Context(), "edge-1"))
	b.readAll()
	if read := b.metric("edge-1", "svc_follow_messages_total"); read > manyMessages {
		b.t.Errorf("an edge of %d projects reads %.0f messages again, more than %d", b.Made, read, manyMessages)
	}
}

// watchLocks counts the locks of the database while work is done.
func (b *manyBed) watchLocks(work func()) {
	b.t.Helper()
	var most atomic.Int64
	ctx, stop := context.WithCancel(b.t.Context())
	watched := make(chan error, 1)
	go func() {
		watched <- func() error {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for {
				var locks int64
				if err := b.Pool.QueryRow(ctx, `SELECT count(*) FROM pg_locks`).Scan(&locks); err != nil {
					return err
				}
				most.Store(max(most.Load(), locks))
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-tick.C:
				}
			}
		}()
	}()
	work()
	stop()
	if err := <-watched; !errors.Is(err, context.Canceled) {
		b.t.Fatal(err)
	}
	var room int64
	b.check(b.Pool.QueryRow(b.t.Context(), `SELECT current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int`).Scan(&room))
	b.t.Logf("at most %d locks were held at once; there is room for %d", most.Load(), room)
	if most.Load() > room/10 {
		b.t.Errorf("%d locks were held at once; that grows with projects, and there is room for %d", most.Load(), room)
	}
}

// noLockLost looks into what PostgreSQL and core wrote.
func (b *manyBed) noLockLost() {
	b.t.Helper()
	for _, name := range []string{"postgres", "core"} {
		text, err := os.ReadFile(filepath.Join(b.stack.LogDir(), name+".log"))
		b.check(err)
		if bytes.Contains(text, []byte(postgresNoMemory)) {
			b.t.Errorf("the log of %s says %q", name, postgresNoMemory)
		}
	}
}
