package link

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// connection is one connection of a client, and the one to the target that belongs to it.
type connection struct {
	link   *Link
	client *net.TCPConn
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	target *net.TCPConn
}

// reset ends both sides at once, without a goodbye, and drops what is under way.
func (c *connection) reset() { c.end(true) }

func (c *connection) end(abruptly bool) {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, side := range []*net.TCPConn{c.client, c.target} {
		if side == nil {
			continue
		}
		// Both fail only where the connection has ended already.
		if abruptly {
			_ = side.SetLinger(0)
		}
		_ = side.Close()
	}
}

// carry connects to the target and carries both ways until both have ended.
func (c *connection) carry() {
	defer c.link.forget(c)
	defer c.end(false)
	if c.pass(time.Now()) != nil {
		return
	}
	dialed, err := new(net.Dialer).DialContext(c.ctx, "tcp", c.link.target)
	if err != nil {
		c.reset()
		return
	}
	target := dialed.(*net.TCPConn)
	c.mu.Lock()
	c.target = target
	c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	var ways sync.WaitGroup
	ways.Go(func() { c.copy(target, c.client, false) })
	ways.Go(func() { c.copy(c.client, target, true) })
	ways.Wait()
}

// chunk is what one read returned, and when.
type chunk struct {
	data []byte
	at   time.Time
}

const (
	chunkSize = 16 << 10
	// queue is how many chunks wait for their time in one direction; more stay with the sender.
	queue = 64
)

// copy carries one way until the source ends, and tells the destination so.
func (c *connection) copy(to, from *net.TCPConn, back bool) {
	chunks := make(chan chunk, queue)
	go c.read(from, chunks)
	passed := int64(0)
	for next := range chunks {
		if c.pass(next.at) != nil {
			return
		}
		faults, _ := c.link.current()
		data := next.data
		broken := back && faults.Break > 0 && passed+int64(len(data)) >= faults.Break
		if broken {
			data = data[:max(0, faults.Break-passed)]
		}
		if _, err := to.Write(data); err != nil || broken {
			c.reset()
			return
		}
		passed += int64(len(data))
		if faults.Rate > 0 && c.wait(time.Duration(float64(len(data))/float64(faults.Rate)*float64(time.Second))) != nil {
			return
		}
	}
	if c.pass(time.Now()) == nil {
		// It fails only where the other side has gone.
		_ = to.CloseWrite()
	}
}

// read takes what comes until the end, or until the connection is reset.
func (c *connection) read(from *net.TCPConn, chunks chan<- chunk) {
	defer close(chunks)
	for {
		data := make([]byte, chunkSize)
		n, err := from.Read(data)
		if n > 0 {
			select {
			case chunks <- chunk{data[:n], time.Now()}:
			case <-c.ctx.Done():
				return
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			c.reset()
			return
		}
	}
}

// pass waits until what came at a time may go on.
func (c *connection) pass(came time.Time) error {
	for {
		faults, changed := c.link.current()
		left := time.Until(came.Add(faults.Latency))
		if !faults.Cut && left <= 0 {
			return c.ctx.Err()
		}
		var due <-chan time.Time
		if !faults.Cut {
			timer := time.NewTimer(left)
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-due:
		case <-changed:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
}

func (c *connection) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}
