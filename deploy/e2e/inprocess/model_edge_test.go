package inprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/core/changelog"
	"svc/edge/store"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/content"
	"svc/shared/read"
)

// stagedEdge is an edge without a server, whose disk is in memory, so that a crash can lose what was not written for good.
type stagedEdge struct {
	*stage
	name   string
	far    uint64 // how many changes behind it takes a snapshot
	logs   []string
	disk   *vfs.MemFS
	logged bytes.Buffer
	logger *slog.Logger
	conn   *stream.Conn
	client *follow.CoreClient

	store    *store.Store
	follower atomic.Pointer[follow.Follower]
	cancel   context.CancelFunc // nil while it does not follow
	ended    chan error
}

// newEdge starts an edge that follows some logs.
func (s *stage) newEdge(name string, core *stagedCore, far uint64, logs ...string) (*stagedEdge, error) {
	e := &stagedEdge{stage: s, name: name, far: far, logs: logs, disk: vfs.NewCrashableMem()}
	e.logger = slog.New(slog.NewTextHandler(&e.logged, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	if e.conn, err = stream.Connect(stream.Config{URL: s.stream, Name: name}, e.logger); err != nil {
		return nil, err
	}
	e.client = follow.NewCoreClient(core.url(), modelSecret)
	return e, errors.Join(e.open(), e.follow())
}

func (e *stagedEdge) open() (err error) {
	e.store, err = store.New(store.Config{
		Dir: "/edge", MemoryBudget: store.MinMemoryBudget, Logger: e.logger,
		Settled: func(log string) time.Time {
			if f := e.follower.Load(); f != nil {
				return f.Settled(log)
			}
			return time.Time{}
		},
	}.On(e.disk))
	return err
}

// follow goes on from what the store holds.
func (e *stagedEdge) follow() error {
	f := follow.New(follow.Config{
		Edge: e.name, Build: "model", Applier: loadCounter{e.store, &e.tally}, Stream: e.conn, Core: e.client,
		Blobs: e.blobs, Logger: e.logger,
		Wants: func(log string) bool { return log == e.logs[0] || log == e.logs[1] },
		Tuning: follow.Tuning{
			FarBehind: e.far, Grace: 50 * time.Millisecond, Silence: time.Minute, Patience: 10 * time.Second,
			Jitter: 5 * time.Millisecond, Retry: 10 * time.Millisecond, LongestRetry: 100 * time.Millisecond,
			Report: time.Minute,
		},
	})
	e.follower.Store(f)
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel, e.ended = cancel, make(chan error, 1)
	ended := e.ended
	go func() { ended <- f.Run(ctx) }()
	return nil
}

// loadCounter counts the snapshots that a store loads.
type loadCounter struct {
	*store.Store
	tally *tally
}

func (c loadCounter) Load(ctx context.Context, log string) (follow.Loader, error) {
	c.tally.count(loads)
	return c.Store.Load(ctx, log)
}

// leave stops following; what the store holds stays.
func (e *stagedEdge) leave() error {
	if e.cancel == nil {
		return nil
	}
	e.cancel()
	e.cancel = nil
	if err := <-e.ended; err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s ended: %w", e.name, err)
	}
	return nil
}

// back goes on following.
func (e *stagedEdge) back() error {
	if e.cancel != nil {
		return nil
	}
	return e.follow()
}

// crash loses the process, and of what the disk was not told to keep, some. It comes back with what is left.
func (e *stagedEdge) crash(random *rand.Rand) error {
	left := e.disk.CrashClone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: random.IntN(101), RNG: rand.New(rand.NewPCG(random.Uint64(), 0)),
	})
	// What goes on from here to the end of the process happens after the crash, and is lost.
	if err := errors.Join(e.leave(), e.store.Close()); err != nil {
		return err
	}
	e.disk = left
	return errors.Join(e.open(), e.follow())
}

func (e *stagedEdge) close() error {
	err := errors.Join(e.leave(), e.store.Close())
	e.client.Close()
	e.conn.Close()
	return err
}

// level waits until the edge holds all that core has of its logs now.
func (e *stagedEdge) level(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	f := e.follower.Load()
	for _, log := range e.logs {
		head, err := changelog.Head(ctx, e.pool, log)
		if err != nil {
			return err
		}
		// The store's position is there shortly before readers see what leads to it; the follower's is not.
		there := func() bool { status, _ := f.Log(log); return status.Position == head }
		if err := f.Await(ctx, log, there); err != nil {
			status, _ := f.Log(log)
			return fmt.Errorf("%s is at %+v in %s, core at %s: %w", e.name, status, log, head, err)
		}
	}
	return nil
}

// position is where the store stands in a log; nowhere, where it cannot be read.
func (e *stagedEdge) position(ctx context.Context, log string) record.Position {
	positions, err := e.store.Positions(ctx)
	if err != nil {
		e.logger.Error("cannot read the positions", "error", err)
	}
	return positions[log]
}

// agrees holds the state that the edge keeps, and the one that it finds on its disk, against core's.
func (e *stagedEdge) agrees(ctx context.Context) error {
	log := e.logs[0]
	at, want, err := e.source.StateHash(ctx, log)
	if err != nil {
		return err
	}
	kept, held, err := e.store.StateHash(ctx, log)
	if err != nil {
		return err
	}
	found, err := e.store.Rescan(ctx, log)
	if err != nil {
		return err
	}
	if got := e.position(ctx, log); !held || kept != want || found != want || got != at {
		return fmt.Errorf("%s at %s keeps the state %s and finds %s on its disk; core at %s has %s", e.name, got, kept, found, at, want)
	}
	return nil
}

// reader answers public reads from the store.
func (e *stagedEdge) reader() *read.Engine {
	return &read.Engine{
		Store: e.store, Keys: e.store, Now: time.Now, LocalOrigins: true,
		Await: func(ctx context.Context, project content.ProjectID, release uint64) error {
			return fmt.Errorf("%s does not hold release %d of %s", e.name, release, project)
		},
	}
}
