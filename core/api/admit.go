package api

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/shared/fault"
)

const (
	// bodyBudget bounds the large bodies that are in memory at one time, in bytes. What is made of one takes several
	// times its size for a moment.
	bodyBudget = 64 << 20
	// densely is how many times its room a body counts that far more is made of.
	densely = 16
	// bodyWait is how long a large body waits for its turn.
	bodyWait = 10 * time.Second

	importsOfAll = 16 // streamed imports at one time; each may take streamLimit of disk
	importsOfOne = 4  // of one caller
)

// reserve waits until the budget has room for a body of this length; -1 is a length that the caller did not tell.
// Small ones need no room.
func (c *call) reserve(length, limit int64) error {
	if length < 0 {
		length = limit
	}
	if c.route.is(schemas) {
		length *= densely
	}
	if length <= bodyLimit {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx(), c.server.bodies.wait)
	defer cancel()
	if err := c.server.bodies.room.Acquire(ctx, length); err != nil {
		return busy("too many large requests are in progress here; try again shortly")
	}
	c.cleanup = append(c.cleanup, func() { c.server.bodies.room.Release(length) })
	return nil
}

// bodies is the room for large bodies, in bytes.
type bodies struct {
	room *semaphore.Weighted
	wait time.Duration
}

func newBodies() *bodies { return &bodies{semaphore.NewWeighted(bodyBudget), bodyWait} }

// turns let each caller do a few things at a time, and all of them together not too many.
type turns struct {
	mu       sync.Mutex
	each     int
	all      int
	taken    map[string]int
	takenAll int
}

func newTurns(each, all int) *turns { return &turns{each: each, all: all, taken: map[string]int{}} }

// take takes a turn, and returns what gives it back.
func (t *turns) take(who string) (done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[who] >= t.each {
		return nil, &fault.Error{
			Code: fault.RateLimited, RetryAfter: 5 * time.Second,
			Detail: "this API key has as many streamed imports running as it may; wait for one to end",
		}
	}
	if t.takenAll >= t.all {
		return nil, busy("too many streamed imports are running here; try again shortly")
	}
	t.taken[who]++
	t.takenAll++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.takenAll--
		if t.taken[who]--; t.taken[who] == 0 {
			delete(t.taken, who)
		}
	}, nil
}

func busy(detail string) error {
	return &fault.Error{Code: fault.Unavailable, RetryAfter: 2 * time.Second, Detail: detail}
}
