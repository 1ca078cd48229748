package follow

import (
	"errors"
	"log/slog"
	"time"

	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/content"
	"svc/shared/telemetry"
)

// Config is what a follower works with.
type Config struct {
	// Edge is the stable name of this edge, of lower-case letters, digits and hyphens; Build names the program.
	Edge, Build string

	Applier Applier
	Stream  *stream.Conn
	Core    Core
	Blobs   blob.Store

	// Wants tells which logs to follow; nil follows all.
	Wants func(log string) bool
	// KeysUsed tells when API keys were last used, which is part of what the edge reports; nil reports none.
	KeysUsed func() map[content.KeyID]time.Time
	// Now is the clock by which ages are told; time.Now where nil.
	Now     func() time.Time
	Logger  *slog.Logger
	Metrics *Metrics
	// Alarms hears of what needs an operator, and is part of what the edge reports. Where nil it is only logged.
	Alarms *telemetry.Alarms
	Tuning Tuning
}

// Tuning is how patient and how wide a follower is. Zero values are the defaults.
type Tuning struct {
	Workers int // logs that apply messages at once: 4
	Repairs int // logs that read for themselves at once, apart from those of organizations: 6
	Loads   int // snapshots loaded at once: 2

	QueueMessages int // of one log, waiting to be applied: 256
	QueueBytes    int // of one log: 8 MiB
	TotalBytes    int // of all logs together: 32 MiB

	// FarBehind is how many changes behind a snapshot is taken rather than the changes: 2,000.
	FarBehind uint64
	// Replay is how many messages of the stream are read again at a start; more is left to core: 1,000.
	Replay uint64
	// Fetch is how long object storage may take to bring the body of a large change, apart from a second for each MiB of it,
	// before core is asked for it: 5 s.
	Fetch time.Duration
	// Grace is how long a change that core has may be on its way before core is asked for it: 1 s.
	Grace time.Duration
	// Silence is how long without a heartbeat until core is asked for heads, and how often from then on: 5 s.
	Silence time.Duration
	// Patience is how long a start waits for core before it goes on with what the store holds: 5 s.
	Patience time.Duration
	// LateAfter is how far behind, in time, a follower is no longer ready: 30 s.
	LateAfter time.Duration
	// Jitter is the longest random wait before a snapshot replaces what is being served: 2 s.
	Jitter time.Duration
	// Retry and LongestRetry bound the wait after a failure, which doubles: 500 ms and 30 s.
	Retry, LongestRetry time.Duration
	// Save is how often the cursor is saved, Report how often the edge reports: 1 s.
	Save, Report time.Duration
}

func (t Tuning) withDefaults() Tuning {
	or(&t.Workers, 4)
	or(&t.Repairs, 6)
	or(&t.Loads, 2)
	or(&t.QueueMessages, 256)
	or(&t.QueueBytes, 8<<20)
	or(&t.TotalBytes, 32<<20)
	or(&t.FarBehind, 2000)
	or(&t.Replay, 1000)
	or(&t.Fetch, 5*time.Second)
	or(&t.Grace, time.Second)
	or(&t.Silence, 5*time.Second)
	or(&t.Patience, 5*time.Second)
	or(&t.LateAfter, 30*time.Second)
	or(&t.Jitter, 2*time.Second)
	or(&t.Retry, 500*time.Millisecond)
	or(&t.LongestRetry, 30*time.Second)
	or(&t.Save, time.Second)
	or(&t.Report, time.Second)
	return t
}

func or[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

func (c *Config) complete() error {
	var missing []error
	for what, there := range map[string]bool{
		"name": c.Edge != "", "applier": c.Applier != nil, "stream": c.Stream != nil, "core": c.Core != nil, "object store": c.Blobs != nil,
	} {
		if !there {
			missing = append(missing, errors.New("a follower needs a "+what))
		}
	}
	if c.Wants == nil {
		c.Wants = func(string) bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	if c.Alarms == nil {
		c.Alarms = telemetry.NewAlarms(telemetry.EdgeAlarms(), nil, c.Logger)
	}
	c.Tuning = c.Tuning.withDefaults()
	return errors.Join(missing...)
}
