package server

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// connections is the set of a server's open connections. It bounds their number, and so their memory: when there are too
// many, it closes those that have been idle longest, between requests or in the middle of the head of one.
type connections struct {
	most int
	mu   sync.Mutex
	all  map[*connection]struct{}
}

func newConnections(most int) *connections {
	return &connections{most: most, all: map[*connection]struct{}{}}
}

// Values of a connection's rests that are no time.
const (
	inUse = 0
	given = -1 // closed to make room
)

// track is the server's ConnState hook.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	one, ok := conn.(*connection)
	if !ok {
		return
	}
	switch state {
	case http.StateNew:
		one.rests.Store(time.Now().UnixNano())
		c.add(one)
	case http.StateActive:
		one.rests.Store(inUse)
	case http.StateIdle:
		one.rest()
	case http.StateClosed, http.StateHijacked:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, one)
	}
}

// add takes one more in. When there are too many it closes a sixteenth of them, so that not every new one evicts another.
func (c *connections) add(one *connection) {
	c.mu.Lock()
	c.all[one] = struct{}{}
	many := len(c.all) > c.most
	c.mu.Unlock()
	if many {
		c.evict()
	}
}

// evict closes the connections that have been idle longest, a sixteenth of the bound.
func (c *connections) evict() {
	resting := c.resting()
	for _, r := range resting[:min(len(resting), c.most/16+1)] {
		r.close()
	}
}

// drainIdle gives callers a moment to disconnect by themselves, and then closes the connections that are idle.
func (c *connections) drainIdle(wait time.Duration) {
	look := time.NewTicker(wait / 50)
	defer look.Stop()
	for over := time.Now().Add(wait); c.count() > 0 && time.Now().Before(over); {
		<-look.C
	}
	for _, r := range c.resting() {
		r.close()
	}
}

func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

type resting struct {
	conn  *connection
	since int64
}

// close closes the connection, unless a request has come on it.
func (r resting) close() {
	if r.conn.rests.CompareAndSwap(r.since, given) {
		_ = r.conn.Conn.Close() // a connection that is gone is what is wanted
	}
}

// resting lists the idle connections, longest first.
func (c *connections) resting() []resting {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []resting
	for conn := range c.all {
		if since := conn.rests.Load(); since > inUse {
			out = append(out, resting{conn, since})
		}
	}
	slices.SortFunc(out, func(a, b resting) int { return cmp.Compare(a.since, b.since) })
	return out
}

// connection is one of a caller. Between requests net/http answers by itself what it cannot read; see refusal.go.
type connection struct {
	net.Conn
	rests     atomic.Int64 // since when, in Unix nanoseconds; inUse or given
	answering atomic.Bool  // a handler has the connection
	heard     atomic.Bool  // something came since it rests
	refused   atomic.Bool  // the last answer is given
}

func (c *connection) rest() {
	c.heard.Store(false)
	c.answering.Store(false)
	c.rests.CompareAndSwap(inUse, time.Now().UnixNano())
}
