// Package link forwards TCP connections to an address and fails on demand in the ways that networks do: it goes silent, resets
// connections, delays them, slows them down, breaks them off in the middle of an answer.
package link

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Faults is how a link misbehaves; the zero value carries everything at once.
type Faults struct {
	// Cut lets nothing through, either way. Connections stay open, new ones are accepted, and all of them go on where they
	// were once it ends: a cable that was pulled and plugged in again.
	Cut bool
	// Refuse resets every connection, those there are and new ones: a host that is gone.
	Refuse bool
	// Latency delays every byte, each way.
	Latency time.Duration
	// Rate is how many bytes per second pass through a connection, each way; any number when 0.
	Rate int64
	// Break resets a connection once this many bytes have come back through it; never when 0.
	Break int64
}

// Link listens on a free loopback port and carries what comes to its target. Its methods may be called from several
// goroutines.
type Link struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	faults Faults
	// changed is closed, and another put in its place, when the faults change.
	changed chan struct{}
	open    map[*connection]bool
	closed  bool
}

// Open starts a link to a target ("host:port"), which need not be there yet.
func Open(target string) (*Link, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a link to %s: %w", target, err)
	}
	l := &Link{target: target, listener: listener, changed: make(chan struct{}), open: map[*connection]bool{}}
	l.running.Go(l.accept)
	return l, nil
}

// Address is where the link listens.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Set puts faults in the place of those there were; connections that are open get them too.
func (l *Link) Set(f Faults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = f
	close(l.changed)
	l.changed = make(chan struct{})
	if f.Refuse {
		l.reset()
	}
}

// Mend ends all faults.
func (l *Link) Mend() { l.Set(Faults{}) }

// Sever resets the connections there are. New ones are carried.
func (l *Link) Sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reset()
}

// reset is called with the lock held.
func (l *Link) reset() {
	for c := range l.open {
		c.reset()
	}
}

// Close ends the link and its connections.
func (l *Link) Close() error {
	l.mu.Lock()
	l.closed = true
	l.reset()
	l.mu.Unlock()
	err := l.listener.Close()
	l.running.Wait()
	return err
}

// current returns the faults, and what is closed when they change.
func (l *Link) current() (Faults, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.faults, l.changed
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			// Closed: a listener on loopback ends in no other way.
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		c := &connection{link: l, client: client.(*net.TCPConn), ctx: ctx, cancel: cancel}
		l.mu.Lock()
		refused := l.closed || l.faults.Refuse
		if !refused {
			l.open[c] = true
		}
		l.mu.Unlock()
		if refused {
			c.reset()
			continue
		}
		l.running.Go(c.carry)
	}
}

func (l *Link) forget(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}
