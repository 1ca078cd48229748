package server

import (
	"net"
	"sync"
	"syscall"
	"time"
)

// lazyConn is a TCP connection that passes a deadline on to the system when a call begins under it, and not even then where the one
// that the system has is about the same. The HTTP server sets three for every request, nearly none of which anything waits for, and
// each costs about as much as finding an answer.
type lazyConn struct {
	net.Conn    // not the type itself, whose ReadFrom and WriteTo would pass by Read and Write
	tcp         *net.TCPConn
	read, write deadline
}

func newLazyConn(tcp *net.TCPConn) *lazyConn { return &lazyConn{Conn: tcp, tcp: tcp} }

// Read implements net.Conn.
func (c *lazyConn) Read(p []byte) (int, error) {
	if err := c.read.begin(c.tcp.SetReadDeadline); err != nil {
		return 0, err
	}
	defer c.read.end()
	return c.tcp.Read(p)
}

// Write implements net.Conn.
func (c *lazyConn) Write(p []byte) (int, error) {
	if err := c.write.begin(c.tcp.SetWriteDeadline); err != nil {
		return 0, err
	}
	defer c.write.end()
	return c.tcp.Write(p)
}

// SetDeadline implements net.Conn.
func (c *lazyConn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *lazyConn) SetReadDeadline(t time.Time) error { return c.read.set(t, c.tcp.SetReadDeadline) }

// SetWriteDeadline implements net.Conn.
func (c *lazyConn) SetWriteDeadline(t time.Time) error { return c.write.set(t, c.tcp.SetWriteDeadline) }

// CloseWrite closes the writing side.
func (c *lazyConn) CloseWrite() error { return c.tcp.CloseWrite() }

// SetLinger is that of net.TCPConn.
func (c *lazyConn) SetLinger(seconds int) error { return c.tcp.SetLinger(seconds) }

// SyscallConn implements syscall.Conn.
func (c *lazyConn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }

// deadline is when the calls of one direction stop waiting: at the time that was wanted, or up to a 64th of the wait later.
type deadline struct {
	mu     sync.Mutex
	calls  int // under way
	wanted time.Time
	passed time.Time // what the system has
	leeway time.Duration
}

// set changes the time, for calls that wait already too.
func (d *deadline) set(t time.Time, pass func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.calls == 0 {
		return nil
	}
	return d.passOn(pass)
}

// begin begins a call, which end ends unless there is an error.
func (d *deadline) begin(pass func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.passOn(pass); err != nil {
		return err
	}
	d.calls++
	return nil
}

func (d *deadline) end() {
	d.mu.Lock()
	d.calls--
	d.mu.Unlock()
}

// passOn has the system stop waiting at the time that is wanted, unless it does so already.
func (d *deadline) passOn(pass func(time.Time) error) error {
	late := d.passed.Sub(d.wanted)
	if d.passed.IsZero() == d.wanted.IsZero() && late >= 0 && late <= d.leeway {
		return nil
	}
	d.passed, d.leeway = d.wanted, 0
	if !d.wanted.IsZero() {
		d.leeway = max(0, time.Until(d.wanted)/64)
		d.passed = d.wanted.Add(d.leeway)
	}
	return pass(d.passed)
}
