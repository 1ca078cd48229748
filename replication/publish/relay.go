package publish

import (
	"cmp"
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
//
// The core that committed a change sends it. Where it cannot, because it died or does not reach the stream, every other core
// finds the change after a moment, and the first of them sends it.
type Relay struct {
	Source Source
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

	queue  *queue        // logs to look at
	large  *queue        // those whose next change goes to object storage first, which may hang
	tips   sync.Map      // of tip by log, as far as they are known
	demand chan struct{} // for a comparison of all logs

	mu               sync.Mutex
	sent             map[string]uint64   // how far logs were sent, until it is recorded
	tries            map[string]int      // failures in a row
	storing          map[string]struct{} // logs that belong into the queue of large changes
	unreachableSince time.Time           // since when the stream cannot be reached; used by the poll
}

// Timing is how often a relay checks what it was not notified of. Zero values mean the defaults.
type Timing struct {
	// Poll is the interval of the search for changes that no one has sent.
	Poll time.Duration
	// Verify is how often the heads of all logs are compared with the last messages on the stream.
	Verify time.Duration
	// OthersAfter is the age from which changes of other cores are sent.
	OthersAfter time.Duration
	// AlarmAfter is how long the stream may be unreachable before the alarm stream_away is raised.
	AlarmAfter time.Duration
}

func (t Timing) withDefaults() Timing {
	return Timing{
		Poll: cmp.Or(t.Poll, 500*time.Millisecond), Verify: cmp.Or(t.Verify, 30*time.Second),
		OthersAfter: cmp.Or(t.OthersAfter, 2*time.Second), AlarmAfter: cmp.Or(t.AlarmAfter, 10*time.Second),
	}
}

// workers is how many logs are sent at once, and largeWorkers how many whose next change is large.
const (
	workers      = 16
	largeWorkers = 8
)

// Run relays until the context ends. Nothing that the database, the stream or the object store does ends it earlier.
func (r *Relay) Run(ctx context.Context) error {
	r.Timing = r.Timing.withDefaults()
	if r.Metrics == nil {
		r.Metrics = NewMetrics(nil)
	}
	r.queue, r.large, r.demand = newQueue(), newQueue(), make(chan struct{}, 1)
	r.sent, r.tries, r.storing = map[string]uint64{}, map[string]int{}, map[string]struct{}{}
	defer r.Stream.Watch(func(connected bool) {
		r.tips.Clear() // another server may know another stream
		if connected {
			r.wantVerify()
		}
	})()
	defer r.Source.Listen(r.add)()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.verifyLoop(ctx) })
	g.Go(func() error { return r.pollLoop(ctx) })
	for range workers {
		g.Go(func() error { return r.work(ctx, r.queue) })
	}
	for range largeWorkers {
		g.Go(func() error { return r.work(ctx, r.large) })
	}
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// add has a log looked at.
func (r *Relay) add(log string) {
	r.mu.Lock()
	_, large := r.storing[log]
	r.mu.Unlock()
	if large {
		r.large.add(log)
	} else {
		r.queue.add(log)
	}
}

func (r *Relay) work(ctx context.Context, q *queue) error {
	for {
		log, ok := q.take(ctx)
		if !ok {
			return ctx.Err()
		}
		err := r.send(ctx, log, q == r.large)
		q.done(log)
		r.settle(ctx, log, err)
	}
}

// settle schedules another try after a failure.
func (r *Relay) settle(ctx context.Context, log string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errLarge) {
		r.storing[log] = struct{}{}
		r.large.add(log)
		return
	}
	delete(r.storing, log)
	if err == nil {
		delete(r.tries, log)
		r.Alarms.Clear(telemetry.RelayStalled, log)
		return
	}
	r.tips.Delete(log)
	r.Metrics.failures.Inc()
	tries := r.tries[log]
	r.tries[log] = tries + 1
	r.report(log, tries+1, err)
	time.AfterFunc(min(50*time.Millisecond<<min(tries, 10), 10*time.Second), func() { r.add(log) })
}
