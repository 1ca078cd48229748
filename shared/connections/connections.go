// Package connections keeps the open connections of a server. It bounds their number, and so their memory: when there are too
// many, it closes those that have been idle longest, between requests or in the middle of the head of one. A server that stops
// gives callers a moment to go by themselves before it closes what is idle.
package connections

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Set is the open connections of a server.
type Set struct {
	most  int
	count atomic.Int64
	since sync.Map // net.Conn to *atomic.Int64: the time since when it is idle, in Unix nanoseconds; inUse or givenUp
}

const (
	inUse   = 0
	givenUp = -1 // closed to make room
)

// New is the set of a server that may have so many.
func New(most int) *Set { return &Set{most: most} }

// Track notes that a connection came into a state. The server tells of all but StateActive: see Use.
func (s *Set) Track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		idle := &atomic.Int64{}
		idle.Store(time.Now().UnixNano())
		s.since.Store(conn, idle)
		if s.count.Add(1) > int64(s.most) {
			s.Evict()
		}
	case http.StateIdle:
		if idle := s.idle(conn); idle != nil {
			idle.CompareAndSwap(inUse, time.Now().UnixNano())
		}
	case http.StateClosed, http.StateHijacked:
		if _, ok := s.since.LoadAndDelete(conn); ok {
			s.count.Add(-1)
		}
	}
}

// Use notes that a request has come on a connection, which is then idle no more.
func (s *Set) Use(conn net.Conn) {
	if idle := s.idle(conn); idle != nil {
		idle.Store(inUse)
	}
}

func (s *Set) idle(conn net.Conn) *atomic.Int64 {
	idle, ok := s.since.Load(conn)
	if !ok {
		return nil
	}
	return idle.(*atomic.Int64)
}

// Count is how many there are.
func (s *Set) Count() int { return int(s.count.Load()) }

// Evict closes the connections that have been idle longest, a sixteenth of the bound, so that not every new one evicts
// another.
func (s *Set) Evict() { s.closeIdle(s.most/16 + 1) }

// Drain gives callers a moment to go by themselves, and then closes the connections that are idle.
func (s *Set) Drain(wait time.Duration) {
	look := time.NewTicker(wait / 50)
	defer look.Stop()
	for over := time.Now().Add(wait); s.Count() > 0 && time.Now().Before(over); {
		<-look.C
	}
	s.closeIdle(s.Count())
}

// Close closes every connection, in use or not.
func (s *Set) Close() {
	for conn := range s.since.Range {
		_ = conn.(net.Conn).Close()
	}
}

// closeIdle closes those that have been idle longest, unless a request comes on one meanwhile.
func (s *Set) closeIdle(most int) {
	type idling struct {
		conn  net.Conn
		idle  *atomic.Int64
		since int64
	}
	var all []idling
	for conn, value := range s.since.Range {
		idle := value.(*atomic.Int64)
		if since := idle.Load(); since > inUse {
			all = append(all, idling{conn.(net.Conn), idle, since})
		}
	}
	slices.SortFunc(all, func(a, b idling) int { return cmp.Compare(a.since, b.since) })
	for _, one := range all[:min(len(all), most)] {
		if one.idle.CompareAndSwap(one.since, givenUp) {
			_ = one.conn.Close()
		}
	}
}
