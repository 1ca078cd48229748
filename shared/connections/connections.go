// Package connections keeps the open connections of a server. It bounds their number, and so their memory: when there are too
// many, it closes those that have been idle longest, between requests or in the middle of the head of one. A server that stops
// gives callers a moment to go by themselves before it closes what is idle.
//
// A connection that the server hands over for an answer without an end (Hold) still counts. There may be half as many of those as
// connections, so that the others find room; they are never closed for others, and end when the server stops.
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
	most       int
	count      atomic.Int64
	handedOver atomic.Int64
	since      sync.Map // net.Conn to *atomic.Int64: the time since when it is idle, in Unix nanoseconds; inUse, givenUp or held
}

const (
	inUse   = 0
	givenUp = -1 // closed to make room
	held    = -2 // handed over
)

// New is the set of a server that may have so many.
func New(most int) *Set { return &Set{most: most} }

// Track notes that a connection came into a state. The server tells of all but StateActive, see Use; of one that is held, the one who
// it was handed over to tells StateClosed.
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
	case http.StateHijacked:
		if idle := s.idle(conn); idle != nil && idle.Load() != held {
			s.forget(conn)
		}
	case http.StateClosed:
		s.forget(conn)
	}
}

func (s *Set) forget(conn net.Conn) {
	if idle, ok := s.since.LoadAndDelete(conn); ok {
		s.count.Add(-1)
		if idle.(*atomic.Int64).Load() == held {
			s.handedOver.Add(-1)
		}
	}
}

// Hold keeps a connection, on which a request came, among the open ones after it was handed over. It reports false where too many
// are held; nothing changes then.
func (s *Set) Hold(conn net.Conn) bool {
	if s.handedOver.Add(1) > int64(s.most/2) {
		s.handedOver.Add(-1)
		return false
	}
	idle := s.idle(conn)
	if idle == nil || !idle.CompareAndSwap(inUse, held) {
		s.handedOver.Add(-1)
		return false
	}
	return true
}

// Held is how many there are that were handed over.
func (s *Set) Held() int { return int(s.handedOver.Load()) }

// CloseHeld closes those that were handed over.
func (s *Set) CloseHeld() {
	for conn, idle := range s.since.Range {
		if idle.(*atomic.Int64).Load() == held {
			_ = conn.(net.Conn).Close()
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
