package publish

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"svc/replication/stream"
	"svc/shared/lifecycle"
)

// Heartbeat sends heartbeats: every second the time and the heads that changed lately; every thirty seconds, and after each
// connecting, all heads. Silence tells an edge that no one could have told it of changes.
type Heartbeat struct {
	Core   string // names the sender
	Clock  Clock
	Stream *stream.Conn
	Log    *slog.Logger
	// Metrics may be those of the Relay beside; counted nowhere where nil.
	Metrics *Metrics
	// Every is the time between two heartbeats, a second where zero; All that between two with all heads.
	Every, All time.Duration
}

// Run beats until the context ends.
func (h *Heartbeat) Run(ctx context.Context) error {
	every, all := cmp.Or(h.Every, time.Second), cmp.Or(h.All, 30*time.Second)
	if h.Metrics == nil {
		h.Metrics = NewMetrics(nil)
	}
	var greet atomic.Bool
	defer h.Stream.Watch(func(connected bool) { greet.Store(connected) })()
	var lastAll time.Time
	failing := false
	lifecycle.Every(ctx, every, func() {
		if !h.Stream.Connected() {
			return
		}
		began := time.Now()
		full := greet.Swap(false) || time.Since(lastAll) >= all
		err := h.beat(ctx, full)
		switch {
		case err == nil:
			h.Metrics.beats.Inc()
			if full {
				lastAll = began
			}
		case ctx.Err() == nil:
			h.Metrics.beatFailures.Inc()
			greet.Store(full)
			if !failing {
				h.Log.Warn("no heartbeat could be sent; trying again", "error", err)
			}
		}
		failing = err != nil
	})
	return nil
}

func (h *Heartbeat) beat(ctx context.Context, all bool) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	parts, err := h.Clock.Settle(ctx, all)
	if err != nil {
		return err
	}
	for i := range parts {
		parts[i].Core = h.Core
		data, err := parts[i].Encode()
		if err != nil {
			return err
		}
		if err := h.Stream.Beat(data); err != nil {
			return err
		}
	}
	return nil
}
