package core

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// crowd is the connections of a server. It keeps their number, and so their memory, bounded: where too many come, it
// closes those that have rested longest, be it between requests or in the middle of the head of one.
type crowd struct {
	most int
	mu   sync.Mutex
	all  map[*connection]struct{}
}

func newCrowd(most int) *crowd { return &crowd{most: most, all: map[*connection]struct{}{}} }

// What a connection's rests holds beside a time.
const (
	inUse = 0
	given = -1 // closed by the crowd
)

// follow is told by the server what becomes of a connection.
func (c *crowd) follow(conn net.Conn, state http.ConnState) {
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

// add takes one more in. Where there are too many it closes a sixteenth, so that it need not be done for each that
// comes.
func (c *crowd) add(one *connection) {
	c.mu.Lock()
	c.all[one] = struct{}{}
	many := len(c.all) > c.most
	c.mu.Unlock()
	if many {
		c.thin()
	}
}

func (c *crowd) thin() {
	resting := c.resting()
	for _, r := range resting[:min(len(resting), c.most/16+1)] {
		r.close()
	}
}

// letGo waits a moment for callers to go by themselves, and then closes what rests.
func (c *crowd) letGo(wait time.Duration) {
	look := time.NewTicker(wait / 50)
	defer look.Stop()
	for over := time.Now().Add(wait); c.count() > 0 && time.Now().Before(over); {
		<-look.C
	}
	for _, r := range c.resting() {
		r.close()
	}
}

func (c *crowd) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

type resting struct {
	conn  *connection
	since int64
}

// close gives the connection up, unless a request has come on it.
func (r resting) close() {
	if r.conn.rests.CompareAndSwap(r.since, given) {
		_ = r.conn.Conn.Close() // a connection that is gone is what is wanted
	}
}

// resting lists what rests, longest first.
func (c *crowd) resting() []resting {
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
