package follow

import (
	"sync"
	"time"

	"svc/replication/record"
)

// coverage is up to which moment the heads of all logs are known without a hole.
type coverage struct {
	mu      sync.Mutex
	settled time.Time // that moment, by the database's clock; zero before the first
	seen    time.Time // when this edge learned it, by its own clock
	beat    time.Time // when the newest heartbeat came, complete or not
	parts   map[string]part
}

// part is how much of a heartbeat in several parts has come from one core.
type part struct {
	settled, since time.Time
	through        string
}

// applyNext notes a part of a heartbeat. It reports whether that was the last part of one, and whether there is a hole before
// it: heads may have changed that no heartbeat listed.
func (c *coverage) take(b *record.Heartbeat, now time.Time) (complete, hole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beat = now
	if c.parts == nil {
		c.parts = map[string]part{}
	}
	former, begun := c.parts[b.Core]
	follows := b.After == "" || begun && former.through == b.After && former.settled.Equal(b.Settled) && former.since.Equal(b.Since)
	if !follows {
		delete(c.parts, b.Core)
		return false, false
	}
	if b.Through != "" {
		c.parts[b.Core] = part{settled: b.Settled, since: b.Since, through: b.Through}
		return false, false
	}
	delete(c.parts, b.Core)
	if !b.All() && c.settled.Before(b.Since) {
		return true, !c.settled.IsZero()
	}
	if b.Settled.After(c.settled) {
		c.settled, c.seen = b.Settled, now
	}
	return true, false
}

// answered notes that core answered a request for all heads that was made at asked.
func (c *coverage) answered(asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked.After(c.seen) {
		c.seen = asked
	}
}

func (c *coverage) now() (settled, seen, beat time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settled, c.seen, c.beat
}
