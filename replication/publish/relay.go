package publish

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/telemetry"
)

// Relay sends to the stream the changes of the logs that it does not have yet. Several relays may run at once, on one machine
// or many: each append is conditional on the message before it, so the slower one is refused and reads the stream again. What
// a relay remembers only saves requests; it never decides.
type Relay struct {
	Source Source
	Peers  Peers
	Stream *stream.Conn
	Blobs  blob.Store // for large changes
	// WentBack is called where the last message of a log, at a position and with what was given to releases by then, is none
	// that the database ever wrote, or of an epoch that it does not know. It raises the log's epoch above that.
	WentBack func(ctx context.Context, log string, at record.Position, given record.Stamp) error
	// Version limits this relay to an older record version; changes that need a newer one are left to another relay. Zero is
	// no limit.
	Version record.Version
	Log     *slog.Logger
	Alarms  *telemetry.Alarms

	Timing  Timing
	Metrics *Metrics // nil counts nothing

	queue  *queue
	tips   sync.Map      // of tip by log, as far as they are known
	demand chan struct{} // for a comparison of all logs
	// storing holds a token for each large change on its way to object storage.
	storing chan struct{}

	mu               sync.Mutex
	held             Shards
	sent             map[string]uint64    // how far logs were sent, until it is recorded
	unsent           map[string]struct{}  // logs whose changes another core must send
	tries            map[string]int       // failures in a row
	left             map[string]time.Time // since when logs are left to another relay
	putOff           map[string]struct{}  // logs whose next change is large, when it was their turn last
	unreachableSince time.Time            // since when the stream cannot be reached; used by the poll
}

// Timing is how often a relay checks what it was not notified of. Zero values mean the defaults.
type Timing struct {
	// Poll is the interval of the search for changes that nobody was notified of.
	Poll time.Duration
	// Verify is how often the heads of all logs are compared with the last messages on the stream.
	Verify time.Duration
	// Orphan is the age from which changes are sent regardless of who holds their shard.
	Orphan time.Duration
	// AlarmAfter is how long the stream may be unreachable before the alarm stream_away is raised.
	AlarmAfter time.Duration
}

func (t Timing) withDefaults() Timing {
	for _, d := range []struct {
		value *time.Duration
		is    time.Duration
	}{{&t.Poll, 500 * time.Millisecond}, {&t.Verify, 30 * time.Second}, {&t.Orphan, 2 * time.Second}, {&t.AlarmAfter, 10 * time.Second}} {
		if *d.value == 0 {
			*d.value = d.is
		}
	}
	return t
}

// workers is how many logs are sent at once.
const workers = 16

// Run relays until the context ends. Nothing that the database, the stream or the object store does ends it earlier.
func (r *Relay) Run(ctx context.Context) error {
	r.Timing = r.Timing.withDefaults()
	if r.Metrics == nil {
		r.Metrics = NewMetrics(nil)
	}
	r.queue, r.sent = newQueue(), map[string]uint64{}
	r.unsent, r.tries, r.left = map[string]struct{}{}, map[string]int{}, map[string]time.Time{}
	r.putOff = map[string]struct{}{}
	r.demand, r.storing = make(chan struct{}, 1), make(chan struct{}, stores)
	defer r.Stream.Watch(func(connected bool) {
		r.tips.Clear() // another server may know another stream
		if connected {
			r.wantVerify()
		}
	})()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.Peers.Hold(ctx, r.hold) })
	g.Go(func() error { return r.Peers.Listen(ctx, r.changed) })
	g.Go(func() error { return r.verifyLoop(ctx) })
	g.Go(func() error { return r.pollLoop(ctx) })
	for range workers {
		g.Go(func() error { return r.work(ctx) })
	}
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (r *Relay) hold(s Shards) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = s
}

func (r *Relay) holds(log string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held.Has(ShardOf(log))
}

// changed is called after a commit. The core that made a change sends it, whoever holds the shard: nobody can be quicker. If
// it cannot, it notifies the others.
func (r *Relay) changed(log string, here bool) {
	if here && !r.Stream.Connected() {
		r.mu.Lock()
		r.unsent[log] = struct{}{}
		r.mu.Unlock()
	}
	if here || r.holds(log) {
		r.queue.add(log)
	}
}

func (r *Relay) work(ctx context.Context) error {
	for {
		log, ok := r.queue.take(ctx)
		if !ok {
			return ctx.Err()
		}
		err := r.send(ctx, log)
		r.queue.done(log)
		r.settle(ctx, log, err)
	}
}

// settle schedules another try after a failure.
func (r *Relay) settle(ctx context.Context, log string, err error) {
	if err != nil {
		r.tips.Delete(log)
	}
	if ctx.Err() != nil {
		return
	}
	if errors.Is(err, errStoring) {
		time.AfterFunc(storePause, func() { r.queue.add(log) })
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		delete(r.tries, log)
		delete(r.left, log)
		r.Alarms.Clear(telemetry.RelayStalled, log)
		return
	}
	r.Metrics.failures.Inc()
	tries := r.tries[log]
	r.tries[log] = tries + 1
	if held := (*record.VersionLimitError)(nil); errors.As(err, &held) {
		r.unsent[log] = struct{}{}
		if r.left[log].IsZero() {
			r.left[log] = time.Now()
		}
	} else {
		delete(r.left, log)
	}
	r.report(log, tries+1, err)
	if errors.Is(err, stream.ErrDisconnected) && !r.Stream.Connected() {
		return // the heads of all logs are compared once the connection is back
	}
	time.AfterFunc(min(50*time.Millisecond<<min(tries, 10), 10*time.Second), func() { r.queue.add(log) })
}
