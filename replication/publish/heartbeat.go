package publish

import (
	"context"
	"log/slog"
	"time"

	"svc/replication/stream"
)

// Heartbeat sends heartbeats: every second the time and the heads that changed lately, every thirty seconds and a few times
// after each connecting, when others connect too, all heads. Silence tells an edge that nobody could have told it of changes.
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

// greeting is how many beats after connecting list all heads.
const greeting = 3

// Run beats until the context ends.
func (h *Heartbeat) Run(ctx context.Context) error {
	every, all := orElse(h.Every, time.Second), orElse(h.All, 30*time.Second)
	if h.Metrics == nil {
		h.Metrics = NewMetrics(nil)
	}
	connected := make(chan struct{}, 1)
	defer h.Stream.Watch(func(up bool) {
		if up {
			select {
			case connected <- struct{}{}:
			default:
			}
		}
	})()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var lastAll time.Time
	greetings := 0
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-connected:
			greetings = greeting
		case <-tick.C:
		}
		if !h.Stream.Connected() {
			continue
		}
		full := greetings > 0 || time.Since(lastAll) >= all
		began := time.Now()
		err := h.beat(ctx, full)
		if err == nil && full {
			lastAll, greetings = began, max(greetings-1, 0)
		}
		switch {
		case err == nil:
			h.Metrics.beats.Inc()
		case ctx.Err() == nil:
			h.Metrics.beatFailures.Inc()
		}
		if err != nil && !failing && ctx.Err() == nil {
			h.Log.Warn("no heartbeat could be sent; trying again", "error", err)
		}
		failing = err != nil
	}
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
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
