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

// Seen is what a core committed to a log: the farthest position, and the greatest number and time that it gave to a release of
// the project.
type Seen struct {
	At    record.Position
	Given record.Stamp
}

// Commits is what a core committed. It is attached to the core's pool (postgres.OpenWith), tells the relay of each commit, and
// outlives the database's going back.
type Commits struct {
	Behind atomic.Bool // the database was found to be behind this

	mu        sync.Mutex
	seen      map[string]Seen
	listeners map[*func(log string)]struct{}
}

// NewCommits returns what knows of no commit yet.
func NewCommits() *Commits {
	return &Commits{seen: map[string]Seen{}, listeners: map[*func(string)]struct{}{}}
}

// CommitsIn returns the Commits of a transaction's pool; nil where there are none.
func CommitsIn(tx pgx.Tx) *Commits {
	c, _ := postgres.Attached(tx).(*Commits)
	return c
}

// Note remembers what was committed to a log.
func (c *Commits) Note(log string, s Seen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.seen[log]
	if !snapshot.Before(was.At, s.At) {
		s.At = was.At
	}
	s.Given = s.Given.Join(was.Given)
	c.seen[log] = s
}

// Of returns what was committed to a log.
func (c *Commits) Of(log string) Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[log]
}

// All returns what was committed, by log.
func (c *Commits) All() map[string]Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.seen)
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
