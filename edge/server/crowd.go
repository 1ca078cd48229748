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

// crowd is the connections of a server. It keeps their number, and so their memory, bounded: where too many come, it
// closes those that have rested longest, be it between requests or in the middle of the head of one.
type crowd struct {
	most  int
	count atomic.Int64
	since sync.Map // net.Conn to *atomic.Int64: the time since when it rests; inUse or givenUp
}

const (
	inUse   = 0
	givenUp = -1 // closed by the crowd
)

// connectionMemory is what a connection takes that has been used: a buffer for the heads of its requests, one for
// answers, a stack.
const connectionMemory = 40 << 10

// Room is how many connections fit into an amount of memory.
func Room(bytes int64) int { return int(max(64, bytes/connectionMemory)) }

func newCrowd(most int) *crowd { return &crowd{most: cmp.Or(most, 8192)} }

// follow is told by the server what becomes of a connection.
func (c *crowd) follow(conn net.Conn, state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew:
		rests := &atomic.Int64{}
		rests.Store(time.Now().UnixNano())
		c.since.Store(conn, rests)
		if c.count.Add(1) > int64(c.most) {
			c.thin()
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
func (c *crowd) use(conn net.Conn) {
	if rests := c.rests(conn); rests != nil {
		rests.Store(inUse)
	}
}

func (c *crowd) rests(conn net.Conn) *atomic.Int64 {
	rests, ok := c.since.Load(conn)
	if !ok {
		return nil
	}
	return rests.(*atomic.Int64)
}

// thin closes a sixteenth of the connections, so that it need not be done for each that comes.
func (c *crowd) thin() {
	resting := c.resting(time.Now())
	for _, r := range resting[:min(len(resting), c.most/16+1)] {
		r.close()
	}
}

// closeResting closes the connections that have rested since a time.
func (c *crowd) closeResting(since time.Time) {
	for _, r := range c.resting(since) {
		r.close()
	}
}

// closeAll closes every connection, in use or not.
func (c *crowd) closeAll() {
	for conn := range c.since.Range {
		_ = conn.(net.Conn).Close()
	}
}

type resting struct {
	conn  net.Conn
	rests *atomic.Int64
	since int64
}

// close gives the connection up, unless a request has come on it.
func (r resting) close() {
	if r.rests.CompareAndSwap(r.since, givenUp) {
		_ = r.conn.Close()
	}
}

// resting lists what rests since a time, longest first.
func (c *crowd) resting(since time.Time) []resting {
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
