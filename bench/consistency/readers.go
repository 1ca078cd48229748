package consistency

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"svc/bench/node"
)

// Readers read lists and entries on some nodes. The release of every answer must be in the history.
type Readers struct {
	// SkipOutages has them pass over nodes that are down or say that they cannot answer, and let a node go back in time, as
	// one does that starts over. What is answered must fit all the same.
	SkipOutages bool

	project string
	history *History
	newest  uint64
	enough  int64
	skipped atomic.Int64
	groups  []*Group
	mu      sync.Mutex
	first   map[string]time.Time // when the newest release was first seen, by node
}

// Group is the readers of one kind on one node.
type Group struct {
	Kind Kind
	Node node.Node

	readers *Readers
	pace    *rate.Limiter
	// reads counts answers, newest those of the newest release.
	reads, newest atomic.Int64
}

// Reads is how many answers the group has held against a release, and how many of those were of the newest one.
func (g *Group) Reads() (all, newest int64) { return g.reads.Load(), g.newest.Load() }

// Kind is what a group reads.
type Kind string

// The kinds of reads.
const (
	Lists   Kind = "lists"
	Entries Kind = "entries"
)

const (
	// readers are how many make up a group, readRate how many reads a second they make together at most: many, but not so
	// many that holding answers against releases takes the processors away from what is read from.
	readers  = 2
	readRate = 600
)

// New makes a crowd of which each group is to make enough reads.
func NewReaders(nodes []node.Node, project string, history *History, enough int) *Readers {
	c := &Readers{project: project, history: history, newest: history.Newest(), enough: int64(enough), first: map[string]time.Time{}}
	for _, n := range nodes {
		for _, kind := range []Kind{Lists, Entries} {
			c.groups = append(c.groups, &Group{Kind: kind, Node: n, pace: rate.NewLimiter(readRate, 50), readers: c})
		}
	}
	return c
}

// Groups are all readers.
func (c *Readers) Groups() []*Group { return c.groups }

// Skipped is how many reads were skipped over.
func (c *Readers) Skipped() int { return int(c.skipped.Load()) }

// Read lets everyone read until ctx ends, or until an answer fits no release.
func (c *Readers) Read(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	c.start(ctx, group)
	return group.Wait()
}

// Seen is when the newest release was first seen on a node.
func (c *Readers) Seen(node string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first[node]
}

// Published is when the newest release was published.
type Published struct{ Began, Answered time.Time }

// Cross lets everyone read, publishes when each group has made a tenth of its reads, and lets them read on until each has
// made enough, a tenth of them of the newest release. The first answer that fits no release ends it with an error.
func (c *Readers) ReadAcross(ctx context.Context, publish func(context.Context) error) (Published, error) {
	var at Published
	group, ctx := errgroup.WithContext(ctx)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	c.start(reading, group)
	group.Go(func() error {
		defer stop()
		if err := c.await(ctx, func(reads, _ int64) bool { return reads >= c.enough/10 }); err != nil {
			return err
		}
		at.Began = time.Now()
		err := publish(ctx)
		at.Answered = time.Now()
		if err != nil {
			return err
		}
		return c.await(ctx, func(reads, newest int64) bool { return reads >= c.enough && newest >= c.enough/10 })
	})
	return at, group.Wait()
}

// start lets everyone read until reading ends.
func (c *Readers) start(reading context.Context, group *errgroup.Group) {
	for _, g := range c.groups {
		for i := range readers {
			group.Go(func() error {
				err := g.read(reading, uint64(i))
				if reading.Err() != nil {
					return nil
				}
				return err
			})
		}
	}
}

// await waits until a condition holds for every group.
func (c *Readers) await(ctx context.Context, holds func(reads, newest int64) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("not within two minutes"))
	defer cancel()
	return node.Until(ctx, func(context.Context) error {
		for _, g := range c.groups {
			if reads, newest := g.Reads(); !holds(reads, newest) {
				return fmt.Errorf("%s on %s: %d reads, %d of release %d", g.Kind, g.Node.Name, reads, newest, c.newest)
			}
		}
		return nil
	})
}

func (g *Group) count(release uint64) {
	g.reads.Add(1)
	if release != g.readers.newest || g.newest.Add(1) > 1 {
		return
	}
	now := time.Now()
	g.readers.mu.Lock()
	defer g.readers.mu.Unlock()
	if at, seen := g.readers.first[g.Node.Name]; !seen || now.Before(at) {
		g.readers.first[g.Node.Name] = now
	}
}
