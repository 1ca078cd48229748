package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"svc/replication/record"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// Schedule is what core knows about which logs want a snapshot.
type Schedule interface {
	// Due lists logs that want a snapshot under a policy, the one furthest behind first, n at most.
	Due(ctx context.Context, p Policy, n int) ([]string, error)
	// Exclusive runs do while no other core runs it for the same log; false where another one does.
	Exclusive(ctx context.Context, log string, do func(context.Context) error) (bool, error)
	// Prune deletes the changes of a log up to a sequence, except its newest ones: keep of them stay whatever else.
	Prune(ctx context.Context, log string, through, keep uint64) (int64, error)
}

// Policy says when a log wants a snapshot: when it has this much since its newest one.
type Policy struct {
	Changes uint64 // changes
	Items   uint64 // items in releases
	// Age is how old the oldest change since then may become.
	Age time.Duration
}

// KeeperConfig says how often snapshots are written and what is kept besides. Zero values are the defaults.
type KeeperConfig struct {
	Policy  Policy        // 500 changes, 20,000 items, 6 hours
	Every   time.Duration // how often to look: 10 s
	Workers int           // snapshots written at once: 2
	// KeepChanges is how many changes of a log stay in the database even if snapshots cover them: 10,000.
	KeepChanges uint64
	Logger      *slog.Logger
	Metrics     *Metrics
	// Alarms hears of logs whose snapshot cannot be written; nil: no one.
	Alarms *telemetry.Alarms
}

// Keeper writes snapshots when logs are due and when someone asks. Every core runs one; they keep out of each
// other's way.
type Keeper struct {
	writer   *Writer
	schedule Schedule
	cfg      KeeperConfig
	work     chan *job

	mu   sync.Mutex
	jobs map[string]*job      // by log, waiting or running
	rest map[string]restUntil // logs whose snapshot failed
	// pruneAt is the sequence from which on a log is pruned again.
	pruneAt map[string]uint64
}

type job struct {
	log    string
	beyond record.Position // of who asked; guarded by the keeper's mu
	done   chan struct{}
	ref    Ref
	err    error
}

type restUntil struct {
	time  time.Time
	tries int // that failed, in a row
}

// NewKeeper returns a keeper that works once Run is called.
func NewKeeper(w *Writer, s Schedule, cfg KeeperConfig) *Keeper {
	return &Keeper{writer: w, schedule: s, cfg: cfg.withDefaults(), work: make(chan *job),
		jobs: map[string]*job{}, rest: map[string]restUntil{}, pruneAt: map[string]uint64{}}
}

func (c KeeperConfig) withDefaults() KeeperConfig {
	c.Policy.Changes = cmp.Or(c.Policy.Changes, 500)
	c.Policy.Items = cmp.Or(c.Policy.Items, 20_000)
	c.Policy.Age = cmp.Or(c.Policy.Age, 6*time.Hour)
	c.Every = cmp.Or(c.Every, 10*time.Second)
	c.Workers = cmp.Or(c.Workers, 2)
	c.KeepChanges = cmp.Or(c.KeepChanges, 10_000)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	return c
}

// Run writes snapshots until the context ends.
func (k *Keeper) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	for range k.cfg.Workers {
		workers.Go(func() { k.serve(ctx) })
	}
	tick := time.NewTicker(k.cfg.Every)
	defer tick.Stop()
	for {
		k.look(ctx)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// mostDue is how many due logs are looked at at once.
const mostDue = 100

// look hands the logs that are due to the workers and waits until they took them.
func (k *Keeper) look(ctx context.Context) {
	due, err := k.schedule.Due(ctx, k.cfg.Policy, mostDue)
	if err != nil {
		if ctx.Err() == nil {
			k.cfg.Logger.Warn("looking for logs that want a snapshot", "error", err)
		}
		return
	}
	k.cfg.Metrics.due.Set(float64(len(due)))
	if len(due) < mostDue {
		k.recovered(due)
	}
	for _, log := range due {
		if k.resting(log) {
			continue
		}
		if _, err := k.enqueue(ctx, log, record.Position{}); err != nil {
			return
		}
	}
}

// Request returns the newest snapshot of a log, after writing one where there is none beyond a position: that of
// the snapshot or the change the asker has already, or of a snapshot that it found damaged. The newest snapshot of all is
// read through when somebody wants one beyond it, and written again where it is not whole. Where the log itself is not beyond it, that is a CONFLICT. The
// snapshot is finished even if ctx ends before; asking again finds it. Run must be running.
func (k *Keeper) Request(ctx context.Context, log string, beyond record.Position) (Ref, error) {
	if ref, ok, err := k.newest(ctx, log, beyond); ok || err != nil {
		return ref, err
	}
	j, err := k.enqueue(ctx, log, beyond)
	if err != nil {
		return Ref{}, err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		return Ref{}, fmt.Errorf("wait for a snapshot of %s: %w", log, ctx.Err())
	}
	if j.err != nil && !errors.Is(j.err, ErrNotNewer) {
		return Ref{}, j.err
	}
	if j.err == nil && !Before(j.ref.Position, beyond) { // at the same place where a damaged one was
		return j.ref, nil
	}
	ref, ok, err := k.newest(ctx, log, beyond)
	if err == nil && !ok {
		err = fault.New(fault.Conflict, "no snapshot of %s is beyond sequence %d of epoch %d, nor is the log itself", log, beyond.Seq, beyond.Epoch)
	}
	return ref, err
}

func (k *Keeper) newest(ctx context.Context, log string, beyond record.Position) (Ref, bool, error) {
	refs, err := k.writer.Source.Recorded(ctx, log, 1)
	if err != nil || len(refs) == 0 || !Before(beyond, refs[0].Position) {
		return Ref{}, false, err
	}
	err = k.writer.CheckPresent(ctx, refs[0])
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		k.cfg.Logger.Warn("a snapshot is not whole; another one is written", "log", log, "at", refs[0].Position, "error", err)
		return Ref{}, false, nil
	}
	return refs[0], true, nil // where the store cannot be asked, the asker finds out what it can read
}

// enqueue hands a log to a worker, unless it waits for one or has one already.
func (k *Keeper) enqueue(ctx context.Context, log string, beyond record.Position) (*job, error) {
	k.mu.Lock()
	j, ok := k.jobs[log]
	if !ok {
		j = &job{log: log, done: make(chan struct{})}
		k.jobs[log] = j
	}
	if Before(j.beyond, beyond) {
		j.beyond = beyond
	}
	k.mu.Unlock()
	if ok {
		return j, nil
	}
	select {
	case k.work <- j:
		return j, nil
	case <-ctx.Done():
		j.err = ctx.Err()
		k.finish(j)
		return nil, fmt.Errorf("wait to write a snapshot of %s: %w", log, ctx.Err())
	}
}

func (k *Keeper) finish(j *job) {
	k.mu.Lock()
	delete(k.jobs, j.log)
	k.mu.Unlock()
	close(j.done)
}

func (k *Keeper) serve(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-k.work:
			k.perform(ctx, j)
		}
	}
}
