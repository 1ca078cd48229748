// Package lifecycle is how the long-running parts of a program start and stop.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Group runs the parts of a program and stops them in reverse order, so that what was added first (a store, a
// connection) outlives what was added later and uses it (a server).
type Group struct {
	// StopTimeout bounds how long each part may take to return once it was told to stop; 0 means 30 seconds.
	StopTimeout time.Duration
	Logger      *slog.Logger
	parts       []part
}

type part struct {
	name string
	run  func(ctx context.Context) error
}

// Add registers a part. Run works until its context ends and then returns nil; returning earlier, with an error or
// without, stops the whole group.
func (g *Group) Add(name string, run func(ctx context.Context) error) {
	g.parts = append(g.parts, part{name, run})
}

// Run starts every part and blocks until ctx ends or one part returns; then it stops all, last added first. The
// error joins what the parts returned and names those that did not stop in time.
func (g *Group) Run(ctx context.Context) error {
	logger := g.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	timeout := g.StopTimeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	type running struct {
		part
		stop context.CancelFunc
		done chan error
	}
	ended := make(chan string, len(g.parts))
	all := make([]running, len(g.parts))
	for i, p := range g.parts {
		// Parts do not see ctx end directly: their order of stopping is this function's business.
		partCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
		all[i] = running{p, stop, make(chan error, 1)}
		go func(r running) {
			r.done <- r.run(partCtx)
			ended <- r.name
		}(all[i])
	}
	if len(all) > 0 {
		select {
		case <-ctx.Done():
		case name := <-ended:
			if ctx.Err() == nil {
				logger.Warn("a part ended; stopping", "part", name)
			}
		}
	}
	var errs []error
	for i := len(all) - 1; i >= 0; i-- {
		r := all[i]
		r.stop()
		timer := time.NewTimer(timeout)
		select {
		case err := <-r.done:
			if err != nil && !errors.Is(err, context.Canceled) {
				errs = append(errs, fmt.Errorf("%s: %w", r.name, err))
			}
		case <-timer.C:
			errs = append(errs, fmt.Errorf("%s did not stop within %v", r.name, timeout))
		}
		timer.Stop()
	}
	return errors.Join(errs...)
}

// Every calls do at intervals until ctx ends, the first time after one interval. It skips times that pass while do works.
func Every(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// EveryAndLast is Every for what must not lose its last interval: it calls do once more after ctx ended. Each call, the
// last one too, has one interval of time.
func EveryAndLast(ctx context.Context, interval time.Duration, do func(ctx context.Context)) {
	bounded := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, interval)
		defer cancel()
		do(ctx)
	}
	Every(ctx, interval, func() { bounded(ctx) })
	bounded(context.WithoutCancel(ctx))
}
