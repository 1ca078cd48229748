package server

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestDeadlinesArePassedOn when a call begins or waits, and where the system would stop too early or much too late without that.
func TestDeadlinesArePassedOn(t *testing.T) {
	var d deadline
	var passed []time.Time
	pass := func(at time.Time) error { passed = append(passed, at); return nil }
	set := func(at time.Time) {
		t.Helper()
		if err := d.set(at, pass); err != nil {
			t.Fatal(err)
		}
	}
	call := func() {
		t.Helper()
		if err := d.begin(pass); err != nil {
			t.Fatal(err)
		}
	}
	in := func(hours int) time.Time { return time.Now().Add(time.Duration(hours) * time.Hour) }
	for _, c := range []struct {
		what string
		do   func()
		want int // times that it was passed on
	}{
		{"a call without a deadline", func() { call(); d.end() }, 0},
		{"a deadline, before any call", func() { set(in(64)) }, 0},
		{"the call", func() { call(); d.end() }, 1},
		{"a little later", func() { set(in(64)); call(); d.end() }, 0},
		{"earlier than that, for which no call waits", func() { set(in(15)); set(in(64)) }, 0},
		{"earlier, and a call", func() { set(in(15)); call() }, 1},
		{"later, during the call", func() { set(in(30)) }, 1},
		{"past, during the call", func() { set(time.Unix(1, 0)) }, 1},
		{"none, during the call", func() { set(time.Time{}); d.end() }, 1},
		{"a call without one again", func() { call(); d.end() }, 0},
	} {
		passed = nil
		c.do()
		if len(passed) != c.want {
			t.Errorf("%s: passed on %v", c.what, passed)
		}
		for _, at := range passed {
			if at.Before(d.wanted) || at.After(d.wanted.Add(time.Hour)) {
				t.Errorf("%s: passed on %s for %s", c.what, at, d.wanted)
			}
		}
	}
	broken := errors.New("broken")
	if err := d.set(in(1), nil); err != nil {
		t.Fatal(err)
	}
	if err := d.begin(func(time.Time) error { return broken }); !errors.Is(err, broken) || d.calls != 0 {
		t.Errorf("a call on a broken connection: %v, %d calls", err, d.calls)
	}
}

// lazyPair is a connection with lazy deadlines whose other end is silent.
func lazyPair(t *testing.T) *lazyConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	conn, err := (&retryingListener{Listener: l}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*lazyConn)
}

func TestLazyDeadlinesEndWhatWaits(t *testing.T) {
	past := time.Unix(1, 0)
	for name, c := range map[string]struct {
		set  func(*lazyConn) error
		wait func(*lazyConn) error
	}{
		"a read": {func(c *lazyConn) error { return c.SetReadDeadline(past) }, func(c *lazyConn) error {
			_, err := c.Read(make([]byte, 1))
			return err
		}},
		"a copy from the connection": {func(c *lazyConn) error { return c.SetReadDeadline(past) }, func(c *lazyConn) error {
			_, err := io.Copy(io.Discard, c)
			return err
		}},
		"a read, by the deadline of both": {func(c *lazyConn) error { return c.SetDeadline(past) }, func(c *lazyConn) error {
			_, err := c.Read(make([]byte, 1))
			return err
		}},
		"a write": {func(c *lazyConn) error { return c.SetWriteDeadline(past) }, func(c *lazyConn) error {
			_, err := io.Copy(c, zeros{}) // more than the line takes
			return err
		}},
	} {
		for _, when := range []string{"before", "while it waits"} {
			t.Run(name+", set "+when, func(t *testing.T) {
				conn, ended := lazyPair(t), make(chan error)
				if when == "before" {
					if err := c.set(conn); err != nil {
						t.Fatal(err)
					}
				}
				go func() { ended <- c.wait(conn) }()
				if when != "before" {
					until(t, "the call is under way", func() bool { return conn.read.busy() || conn.write.busy() })
					if err := c.set(conn); err != nil {
						t.Fatal(err)
					}
				}
				if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	}
}

func (d *deadline) busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls > 0
}
