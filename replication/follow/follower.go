package follow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc/replication/stream"
)

// Follower keeps a store level with the logs of core.
type Follower struct {
	cfg     Config
	started time.Time

	mu   sync.RWMutex
	logs map[string]*log

	apply, repairs, loads, own *queue // own: repairs and loads of organizations
	queued                     atomic.Int64
	coverage                   coverage
	attached                   atomic.Bool // messages of the stream come in
	interrupted                atomic.Bool // it was said, and not yet that it is over

	ask       chan struct{} // heads are wanted
	headsOnce sync.Once
	headsRead chan struct{} // closed when core told all heads for the first time
	begun     atomic.Bool   // the start is over
	held      bool          // the store held something at the start
	settled   atomic.Bool   // every log was level once
	serving   atomic.Bool   // core was away at the start, and the store holds something
	starting  atomic.Int64  // logs that were not level yet
	ctx       context.Context
}

// New returns a follower that works once Run is called.
func New(cfg Config) *Follower {
	cfg.complete()
	f := &Follower{
		cfg: cfg, started: cfg.Now(), logs: map[string]*log{},
		apply: newQueue(), repairs: newQueue(), loads: newQueue(), own: newQueue(),
		ask: make(chan struct{}, 1), headsRead: make(chan struct{}),
	}
	cfg.Metrics.follow(f)
	return f
}

// Run follows until the context ends; nothing that core, the stream or the object store does ends it before. Only an
// Applier that cannot even be read is an error. It runs once.
//
// The stream is followed from among its newest messages on. What is missing before them, heads show and core has.
func (f *Follower) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f.ctx = ctx
	if err := f.open(ctx); err != nil {
		return err
	}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	stopBeats, err := f.cfg.Stream.Beats(f.beat)
	if err != nil {
		return err
	}
	defer stopBeats()
	f.work(ctx, &parts)
	parts.Go(func() { f.headsLoop(ctx) })
	f.awaitHeads(ctx)
	f.begin()
	parts.Go(func() { f.tickLoop(ctx) })
	parts.Go(func() { f.reportLoop(ctx) })
	err = f.cfg.Stream.Follow(ctx, stream.Place{}, stream.Handler{Attached: f.onAttached, Message: f.onMessage, Detached: f.onDetached})
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// open reads what the store holds and lets go of what is no longer wanted.
func (f *Follower) open(ctx context.Context) error {
	positions, err := f.cfg.Applier.Positions(ctx)
	if err != nil {
		return fmt.Errorf("read the positions of the store: %w", err)
	}
	for id, at := range positions {
		if !f.cfg.Wants(id) {
			if err := f.cfg.Applier.Drop(ctx, id); err != nil {
				return fmt.Errorf("drop log %s: %w", id, err)
			}
			continue
		}
		l := f.log(id)
		l.mu.Lock()
		l.at = at
		l.tell() // a reader may wait already for what is there
		l.mu.Unlock()
		f.held = true
	}
	return nil
}

// Begun reports whether the start is over: what the store held is known, and core was asked.
func (f *Follower) Begun() bool { return f.begun.Load() }

// awaitHeads waits for core's heads for as long as a start may take.
func (f *Follower) awaitHeads(ctx context.Context) {
	select {
	case <-f.headsRead:
	case <-time.After(f.cfg.Tuning.Patience):
		f.cfg.Logger.Warn("core cannot be reached; going on with what the store holds")
	case <-ctx.Done():
	}
}

// begin ends the start. From here on readiness depends on the logs.
func (f *Follower) begin() {
	f.serving.Store(f.held && !f.headsKnown())
	f.begun.Store(true)
	f.arrive()
}

// log returns a log, a new one where it is not known yet.
func (f *Follower) log(id string) *log {
	if l := f.find(id); l != nil {
		return l
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.logs[id]
	if l == nil {
		l = &log{id: id, organization: isOrganization(id)}
		f.logs[id] = l
	}
	return l
}

func (f *Follower) find(id string) *log {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.logs[id]
}

func (f *Follower) all() []*log {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Collect(maps.Values(f.logs))
}
