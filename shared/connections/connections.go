package server

import (
	"cmp"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// connections is the set of a server's open connections. It bounds their number, and so their memory: when there are too
// many, it closes those that have been idle longest, between requests or in the middle of the head of one.
type connections struct {
	most  int
	count atomic.Int64
	since sync.Map // net.Conn to *atomic.Int64: the time since when it rests; inUse or givenUp
}

const (
	inUse   = 0
	givenUp = -1 // closed to make room
)

// connectionMemory is what a used connection takes: a buffer for the heads of its requests, one for answers, a stack.
const connectionMemory = 40 << 10

// Room is how many connections fit into an amount of memory.
func Room(bytes int64) int { return int(max(64, bytes/connectionMemory)) }

func newConnections(most int) *connections { return &connections{most: cmp.Or(most, 8192)} }

// track is the server's ConnState hook.
func (c *connections) track(conn net.Conn, state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew:
		rests := &atomic.Int64{}
		rests.Store(time.Now().UnixNano())
		c.since.Store(conn, rests)
		if c.count.Add(1) > int64(c.most) {
			c.evict()
		}
	case fasthttp.StateIdle:
		if rests := c.rests(conn); rests != nil {
			rests.CompareAndSwap(inUse, time.Now().UnixNano())
		}
	case fasthttp.StateClosed, fasthttp.StateHijacked:
		if _, ok := c.since.LoadAndDelete(conn); ok {
			c.count.Add(-1)
		}
	}
}

// use notes that a request came whole.
func (c *connections) use(conn net.Conn) {
	if rests := c.rests(conn); rests != nil {
		rests.Store(inUse)
	}
}

func (c *connections) rests(conn net.Conn) *atomic.Int64 {
	rests, ok := c.since.Load(conn)
	if !ok {
		return nil
	}
	return rests.(*atomic.Int64)
}

// evict closes the connections that have been idle longest, a sixteenth of the bound, so that not every new one evicts
// another.
func (c *connections) evict() {
	resting := c.resting(time.Now())
	for _, r := range resting[:min(len(resting), c.most/16+1)] {
		r.close()
	}
}

// closeResting closes the connections that have been idle since a time.
func (c *connections) closeResting(since time.Time) {
	for _, r := range c.resting(since) {
		r.close()
	}
}

// closeAll closes every connection, in use or not.
func (c *connections) closeAll() {
	for conn := range c.since.Range {
		_ = conn.(net.Conn).Close()
	}
}

type resting struct {
	conn  net.Conn
	rests *atomic.Int64
	since int64
}

// close closes the connection, unless a request has come on it.
func (r resting) close() {
	if r.rests.CompareAndSwap(r.since, givenUp) {
		_ = r.conn.Close()
	}
}

// resting lists the connections that have been idle since a time, longest first.
func (c *connections) resting(since time.Time) []resting {
	var out []resting
	for conn, value := range c.since.Range {
		rests := value.(*atomic.Int64)
		if at := rests.Load(); at > inUse && at <= since.UnixNano() {
			out = append(out, resting{conn.(net.Conn), rests, at})
		}
	}
	slices.SortFunc(out, func(a, b resting) int { return cmp.Compare(a.since, b.since) })
	return out
}
