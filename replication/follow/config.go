package follow

import (
	"cmp"
	"log/slog"
	"time"

	"svc/replication/stream"
	"svc/shared/blob"
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
	// Now is the clock by which ages are told; time.Now where nil.
	Now     func() time.Time
	Logger  *slog.Logger
	Metrics *Metrics
	// Alarms hears of what needs an operator, and is part of what the edge reports. Where nil it is only logged.
	Alarms *telemetry.Alarms
	Tuning Tuning
}

// Tuning is how patient a follower is. Zero values are the defaults.
type Tuning struct {
	QueueMessages int // of one log, waiting to be applied: 256
	// FarBehind is how many changes behind a snapshot is taken rather than the changes: 2,000.
	FarBehind uint64
	// Grace is how long a change that core has may be on its way before core is asked for it: 1 s.
	Grace time.Duration
	// Silence is how long without a heartbeat until core is asked for heads, and how often from then on: 5 s.
	Silence time.Duration
	// Patience is how long a start waits for core before it goes on with what the store holds: 5 s.
	Patience time.Duration
	// Jitter is the longest random wait before a snapshot replaces what is being served: 2 s.
	Jitter time.Duration
	// Retry and LongestRetry bound the wait after a failure, which doubles: 500 ms and 30 s.
	Retry, LongestRetry time.Duration
	// Report is how often the edge reports: 1 s.
	Report time.Duration
}

const (
	workers = 4 // logs that apply messages at once
	repairs = 6 // logs that ask core at once, apart from those of organizations
	loads   = 2 // snapshots loaded at once

	queueBytes = 8 << 20  // of one log, waiting to be applied
	totalBytes = 32 << 20 // of all logs together

	// lateAfter is how far behind, in time, a follower is no longer ready.
	lateAfter = 30 * time.Second
)

func (c *Config) complete() {
	if c.Wants == nil {
		c.Wants = func(string) bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	if c.Alarms == nil {
		c.Alarms = telemetry.NewAlarms(telemetry.EdgeAlarms(), nil, c.Logger)
	}
	t := c.Tuning
	c.Tuning = Tuning{
		QueueMessages: cmp.Or(t.QueueMessages, 256),
		FarBehind:     cmp.Or(t.FarBehind, 2000),
		Grace:         cmp.Or(t.Grace, time.Second),
		Silence:       cmp.Or(t.Silence, 5*time.Second),
		Patience:      cmp.Or(t.Patience, 5*time.Second),
		Jitter:        cmp.Or(t.Jitter, 2*time.Second),
		Retry:         cmp.Or(t.Retry, 500*time.Millisecond),
		LongestRetry:  cmp.Or(t.LongestRetry, 30*time.Second),
		Report:        cmp.Or(t.Report, time.Second),
	}
}
