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
	tracker                    tracker
	coverage                   coverage
	attached                   atomic.Pointer[string] // the stream that messages come from; nil while detached
	interrupted                atomic.Bool            // it was said, and not yet that it is over
	departure                  stream.Resumption      // why this start left its place in the stream; until first attached

	ask       chan struct{} // heads are wanted
	headsOnce sync.Once
	headsRead chan struct{} // closed when core told all heads for the first time
	begun     atomic.Bool   // the start is over
	held      atomic.Bool   // the store held something at the start
	settled   atomic.Bool   // every log was level once
	serving   atomic.Bool   // core was away at the start, and the store holds something
	starting  atomic.Int64  // logs that were not level yet
	ctx       context.Context
}

// New returns a follower that works once Run is called.
func New(cfg Config) (*Follower, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	f := &Follower{
		cfg: cfg, started: cfg.Now(), logs: map[string]*log{},
		apply: newQueue(), repairs: newQueue(), loads: newQueue(), own: newQueue(),
		ask: make(chan struct{}, 1), headsRead: make(chan struct{}),
	}
	cfg.Metrics.follow(f)
	return f, nil
}

// Run follows until the context ends; nothing that core, the stream or the object store does ends it before. Only an
// Applier that cannot even be read is an error. It runs once.
func (f *Follower) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f.ctx = ctx
	cursor, err := f.open(ctx)
	if err != nil {
		return err
	}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	end, endErr := f.end(ctx) // before heads are asked for, so that nothing falls between
	stopBeats, err := f.cfg.Stream.Beats(f.beat)
	if err != nil {
		return err
	}
	defer stopBeats()
	f.work(ctx, &parts)
	parts.Go(func() { f.headsLoop(ctx) })
	from := stream.Place(cursor)
	if f.awaitHeads(ctx) && endErr == nil {
		if f.departure = f.departs(from, end); f.departure != "" {
			from = end
		}
	}
	f.begin()
	parts.Go(func() { f.tickLoop(ctx) })
	parts.Go(func() { f.saveLoop(ctx) })
	parts.Go(func() { f.reportLoop(ctx) })
	err = f.cfg.Stream.Follow(ctx, from, stream.Handler{Attached: f.onAttached, Message: f.onMessage, Detached: f.onDetached})
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// open reads what the store holds and lets go of what is no longer wanted.
func (f *Follower) open(ctx context.Context) (Cursor, error) {
	positions, err := f.cfg.Applier.Positions(ctx)
	if err != nil {
		return Cursor{}, fmt.Errorf("read the positions of the store: %w", err)
	}
	for id, at := range positions {
		if !f.cfg.Wants(id) {
			if err := f.cfg.Applier.Drop(ctx, id); err != nil {
				return Cursor{}, fmt.Errorf("drop log %s: %w", id, err)
			}
			continue
		}
		l := f.log(id)
		l.mu.Lock()
		l.at = at
		l.tell() // a reader may wait already for what is there
		l.mu.Unlock()
		f.held.Store(true)
	}
	cursor, err := f.cfg.Applier.Cursor(ctx)
	if err != nil {
		return Cursor{}, fmt.Errorf("read the cursor of the store: %w", err)
	}
	return cursor, nil
}

func (f *Follower) end(ctx context.Context) (stream.Place, error) {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Tuning.Patience)
	defer cancel()
	return f.cfg.Stream.End(ctx)
}

// skipped is a start at the end of the stream because much has come since the place reached before.
const skipped stream.Resumption = "skipped"

// departs says why to start at the end of the stream, with core telling what is missing, rather than read much of the
// stream again; nothing where to go on from the place reached before.
func (f *Follower) departs(from, end stream.Place) stream.Resumption {
	switch {
	case from == stream.Place{}:
		return stream.Fresh
	case from.Stream != end.Stream:
		return stream.Replaced
	case from.Seq > end.Seq:
		return stream.SetBack
	case end.Seq-from.Seq > f.cfg.Tuning.Replay:
		return skipped
	}
	return ""
}

// Begun reports whether the start is over: what the store held is known, and core was asked.
func (f *Follower) Begun() bool { return f.begun.Load() }

// awaitHeads waits for core's heads for as long as a start may take.
func (f *Follower) awaitHeads(ctx context.Context) bool {
	patience := time.NewTimer(f.cfg.Tuning.Patience)
	defer patience.Stop()
	select {
	case <-f.headsRead:
		return true
	case <-patience.C:
		f.cfg.Logger.Warn("core cannot be reached; going on with what the store holds")
	case <-ctx.Done():
	}
	return false
}

// begin ends the start. From here on readiness depends on the logs.
func (f *Follower) begin() {
	f.serving.Store(f.held.Load() && !f.headsKnown())
	f.begun.Store(true)
	f.arrive()
}

// log returns a log, a new one where it is not known yet.
func (f *Follower) log(id string) *log {
	f.mu.RLock()
	l := f.logs[id]
	f.mu.RUnlock()
	if l != nil {
		return l
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l = f.logs[id]; l == nil {
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
