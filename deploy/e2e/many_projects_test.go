package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/deploy/local"
	"svc/deploy/local/process"
	"svc/shared/content"
)

const (
	manyProjects     = 10_000
	manyReady        = 30 * time.Second // from the start of an edge until it is ready
	manyMessages     = 1_000            // that an edge reads again
	manyMegabytes    = 600              // of an edge
	manyAtOnce       = 12
	manyWhileAway    = 1_000 // projects that come while an edge is away
	manyPatience     = 5 * time.Minute
	postgresNoMemory = "out of shared memory" // what PostgreSQL says when locks find no room
)

// TestAnEdgeOfTenThousandProjects: an edge that holds ten thousand projects with a release each is ready within 30 seconds
// of a start, after a kill too, reads no more than 1,000 messages again, and keeps to 600 MB, also after every project was
// read. Neither making that many nor following them runs PostgreSQL out of room for locks.
func TestAnEdgeOfTenThousandProjects(t *testing.T) {
	b := &many{bed: newPrivateBed(t, local.Config{Edges: 1})}
	var err error
	b.pool, err = postgres.Open(t.Context(), b.stack.ServiceURL(local.Postgres))
	b.check(err)
	t.Cleanup(b.pool.Close)
	b.watchLocks(func() {
		began := time.Now()
		b.make(manyProjects)
		t.Logf("made %d projects in %s", manyProjects, time.Since(began).Round(time.Second))
		b.arrive()
		t.Logf("the edge had them all after %s", time.Since(began).Round(time.Second))
	})
	b.readAll()
	b.bounded("after every project was read")

	b.check(b.stack.KillPart("edge-1"))
	b.restart("after a kill", manyMessages)
	b.check(b.stack.StopPart("edge-1"))
	b.restart("after a stop", manyMessages)

	b.check(b.stack.KillPart("edge-1"))
	b.make(manyWhileAway)
	b.sent()
	b.restart("with a thousand projects more", manyMessages)

	b.check(b.stack.KillPart("edge-1"))
	b.check(b.stack.ClearPart("edge-1"))
	began := time.Now()
	b.check(b.stack.StartPart(t.Context(), "edge-1"))
	b.arrive()
	t.Logf("an edge that held nothing has every project after %s", time.Since(began).Round(time.Second))
	b.readAll()
	b.bounded("after every project was read from an edge that held nothing")
	b.noLockLost()
}

// many is a deployment of many projects.
type many struct {
	*bed
	pool *pgxpool.Pool
	made int
}

func manySlug(n int) string { return fmt.Sprintf("many-%05d", n) }

// make makes projects with a release each. It works on the database, as several cores would.
func (b *many) make(n int) {
	b.t.Helper()
	group, ctx := errgroup.WithContext(b.t.Context())
	group.SetLimit(manyAtOnce)
	for i := range n {
		group.Go(func() error { return b.makeOne(ctx, b.made+i) })
	}
	b.check(group.Wait())
	b.made += n
}

func (b *many) makeOne(ctx context.Context, n int) error {
	actor := access.System()
	p, err := project.Create(ctx, b.pool, actor, content.OrganizationID(b.project.OrganizationID), project.NewProject{Slug: manySlug(n)})
	if err != nil {
		return err
	}
	if _, err := schemadeploy.Push(ctx, b.pool, actor, p.ID, schemadeploy.Proposal{Collections: []jsontext.Value{jsontext.Value(posts)}}); err != nil {
		return err
	}
	made, err := entry.Create(ctx, b.pool, actor, p.ID, "posts", entry.Write{Data: jsontext.Value(manyData(n))})
	if err != nil {
		return err
	}
	_, err = changeset.Publish(ctx, b.pool, actor, p.ID, string(made.ChangeSet.ID), true)
	return err
}

func manyData(n int) string { return fmt.Sprintf(`{"title":"Of project %d"}`, n) }

// arrive waits until the edge follows every project and lacks nothing, and no message is still to come.
func (b *many) arrive() {
	b.t.Helper()
	ctx, cancel := context.WithTimeoutCause(b.t.Context(), manyPatience, fmt.Errorf("not within %s", manyPatience))
	defer cancel()
	b.check(node.Until(ctx, func(ctx context.Context) error {
		figures, err := b.metrics(ctx, "edge-1")
		if err != nil {
			return err
		}
		if logs, behind := figures["svc_follow_logs"], figures["svc_follow_logs_behind"]; logs <= float64(b.made) || behind > 0 {
			return fmt.Errorf("the edge follows %.0f logs for %d projects, %.0f of them are behind", logs, b.made, behind)
		}
		return b.unsent(ctx)
	}))
}

// sent waits until every change is on the stream. What comes there later than an edge asks core for it would look as if it
// were read again.
func (b *many) sent() {
	b.t.Helper()
	ctx, cancel := context.WithTimeoutCause(b.t.Context(), manyPatience, fmt.Errorf("not within %s", manyPatience))
	defer cancel()
	b.check(node.Until(ctx, b.unsent))
}

// unsent is an error while changes are not on the stream yet.
func (b *many) unsent(ctx context.Context) error {
	core, err := b.metrics(ctx, "core")
	if err != nil {
		return err
	}
	if logs := core["svc_relay_logs_behind"]; logs > 0 {
		return fmt.Errorf("changes of %.0f logs are not on the stream yet", logs)
	}
	return nil
}

// restart starts the edge again and holds it to its bounds. Whatever came since it was ready last is more than it may
// read again: it asks core for the rest.
func (b *many) restart(when string, messages float64) {
	b.t.Helper()
	began := time.Now()
	b.check(b.stack.StartPart(b.t.Context(), "edge-1"))
	took := time.Since(began)
	if took > manyReady {
		b.t.Errorf("%s an edge of %d projects is ready after %s, not within %s", when, b.made, took, manyReady)
	}
	b.readAll()
	figures, err := b.metrics(b.t.Context(), "edge-1")
	b.check(err)
	if read := figures["svc_follow_messages_total"]; read > messages {
		b.t.Errorf("%s an edge reads %.0f messages again, more than %.0f", when, read, messages)
	}
	b.t.Logf("%s an edge of %d projects is ready after %s, and read %.0f messages of the stream", when, b.made, took.Round(time.Millisecond), figures["svc_follow_messages_total"])
	b.bounded(when)
}

// readAll reads every project, in any order.
func (b *many) readAll() {
	b.t.Helper()
	group, ctx := errgroup.WithContext(b.t.Context())
	group.SetLimit(manyAtOnce)
	began := time.Now()
	for _, n := range rand.Perm(b.made) {
		group.Go(func() error {
			answer, err := b.edge1.Get(ctx, node.List(manySlug(n), "posts"))
			if err != nil {
				return err
			}
			if answer.Status != http.StatusOK || !bytes.Contains(answer.Body, []byte(fmt.Sprintf(`"Of project %d"`, n))) {
				return fmt.Errorf("project %d is answered with %d: %s", n, answer.Status, answer.Body)
			}
			return nil
		})
	}
	b.check(group.Wait())
	b.t.Logf("read %d projects in %s", b.made, time.Since(began).Round(time.Millisecond))
}

// memory is what the edge has resident now, and the most it ever had, in megabytes.
func (b *many) memory() (now, most float64) {
	b.t.Helper()
	pid, err := b.stack.Pid("edge-1")
	b.check(err)
	r, err := process.ResidentOf(pid)
	b.check(err)
	const mib = float64(1<<20) / 1e6
	return r.Now * mib, r.Peak * mib
}

func (b *many) bounded(when string) {
	b.t.Helper()
	now, most := b.memory()
	b.t.Logf("%s the edge keeps %.0f MB, and kept %.0f MB at most", when, now, most)
	if most > manyMegabytes {
		b.t.Errorf("%s the edge of %d projects keeps %.0f MB, and kept %.0f MB at most, more than %d", when, b.made, now, most, manyMegabytes)
	}
}

// watchLocks counts the locks of the database while work is done.
func (b *many) watchLocks(work func()) {
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
				if err := b.pool.QueryRow(ctx, `SELECT count(*) FROM pg_locks`).Scan(&locks); err != nil {
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
	b.check(b.pool.QueryRow(b.t.Context(), `SELECT current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int`).Scan(&room))
	b.t.Logf("at most %d locks were held at once; there is room for %d", most.Load(), room)
	if most.Load() > room/10 {
		b.t.Errorf("%d locks were held at once; that grows with projects, and there is room for %d", most.Load(), room)
	}
}

// noLockLost looks into what PostgreSQL and core wrote.
func (b *many) noLockLost() {
	b.t.Helper()
	for _, name := range []string{"postgres", "core"} {
		text, err := os.ReadFile(filepath.Join(b.stack.LogDir(), name+".log"))
		b.check(err)
		if bytes.Contains(text, []byte(postgresNoMemory)) {
			b.t.Errorf("the log of %s says %q", name, postgresNoMemory)
		}
	}
}
