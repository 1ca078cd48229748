package local

import (
	"context"
	"fmt"
	"time"
)

// readiness is how a part that is kept running stands.
type readiness struct {
	// kept is false while the part is down on purpose.
	kept bool
	// ready is whether its program serves, as far as the supervision has seen.
	ready bool
	// failures counts the launches that failed since start, fault is what was wrong with the last.
	failures int
	fault    error
	// news is closed at the next change.
	news chan struct{}
}

// note changes the readiness of a part and wakes who waits for it.
func (r *runner) note(change func(*readiness)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.readiness)
	if r.news != nil {
		close(r.news)
		r.news = nil
	}
}

// look returns how the part stands and what is closed when that changes.
func (r *runner) look() (now readiness, news <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now = r.readiness
	if now.ready && r.running.Ended() { // which the supervision will see too
		now.ready = false
	}
	if r.news == nil {
		r.news = make(chan struct{})
	}
	return now, r.news
}

// awaitUp waits until the part serves, or has failed to be brought back several times. It asks the part itself: one that is
// killed goes on being there for a moment.
func (r *runner) awaitUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	begin, news := r.look()
	for now := begin; ; now, news = r.look() {
		var again <-chan time.Time
		switch {
		case now.ready:
			if r.probe(ctx) == nil {
				return nil
			}
			again = time.After(probeEvery)
		case !now.kept:
			return fmt.Errorf("%s %w: it was stopped meanwhile", r.part.name, errDown)
		case now.failures >= begin.failures+startAttempts:
			return fmt.Errorf("%s %w, though it is started again and again: %w", r.part.name, errDown, now.fault)
		}
		select {
		case <-news:
		case <-again:
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w), though it is kept running; its log is %s",
				r.part.name, context.Cause(ctx), r.stack.logFile(r.part.name))
		}
	}
}
