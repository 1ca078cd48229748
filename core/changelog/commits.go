package changelog

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/record"
	"svc/replication/snapshot"
)

// RememberedLogs is how many logs Commits surely knows, those that moved last; it holds at most twice as many.
const RememberedLogs = 50_000

// Seen is what a core saw committed of a log: the farthest position, and the greatest number and time that a release of
// the project was given.
type Seen struct {
	At    record.Position
	Given record.Stamp
}

// Commits is what a core saw committed. It is attached to the core's pool (postgres.OpenWith), tells the relay of what the
// core commits itself, and outlives the database's going back.
type Commits struct {
	Behind atomic.Bool // the database was found to be behind this

	mu          sync.Mutex
	newer, rest map[string]Seen
	listeners   map[*func(log string)]struct{}
}

// NewCommits returns what knows of no commit yet.
func NewCommits() *Commits {
	return &Commits{newer: map[string]Seen{}, listeners: map[*func(string)]struct{}{}}
}

// CommitsIn returns the Commits of a transaction's pool; nil where there are none.
func CommitsIn(tx pgx.Tx) *Commits {
	c, _ := postgres.Attached(tx).(*Commits)
	return c
}

// Note remembers what was seen of a log.
func (c *Commits) Note(log string, s Seen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.get(log)
	if snapshot.Before(s.At, was.At) || s.At.Seq == was.At.Seq && s.At.Epoch == was.At.Epoch {
		s.At = was.At
	}
	s.Given = s.Given.Join(was.Given)
	c.newer[log] = s
	if len(c.newer) >= RememberedLogs {
		c.newer, c.rest = map[string]Seen{}, c.newer
	}
}

func (c *Commits) get(log string) Seen {
	if s, ok := c.newer[log]; ok {
		return s
	}
	return c.rest[log]
}

// Of returns what was seen of a log.
func (c *Commits) Of(log string) Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(log)
}

// All returns what was seen, by log.
func (c *Commits) All() map[string]Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]Seen, len(c.newer)+len(c.rest))
	maps.Copy(all, c.rest)
	maps.Copy(all, c.newer)
	return all
}

// Wake tells the relay that a log has changed.
func (c *Commits) Wake(log string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.listeners {
		(*f)(log)
	}
}

func (c *Commits) listen(f func(log string)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners[&f] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listeners, &f)
	}
}
