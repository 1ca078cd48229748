package link_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"svc/deploy/local/link"
)

// echo is a server that sends everything back.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				// How a connection ends is the client's to see.
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func open(t *testing.T) *link.Link {
	t.Helper()
	l, err := link.Open(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func dial(t *testing.T, l *link.Link) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// says sends something and reads it back.
func says(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != text {
		t.Fatalf("%q came back for %q, %v", got, text, err)
	}
}

func TestEverythingIsCarriedToTheEnd(t *testing.T) {
	conn := dial(t, open(t))
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Write(sent)
		failed <- errors.Join(err, conn.CloseWrite())
	}()
	got, err := io.ReadAll(conn)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%d bytes of %d, %v", len(got), len(sent), err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

func TestACutConnectionHangsAndGoesOn(t *testing.T) {
	l := open(t)
	conn := dial(t, l)
	says(t, conn, "before")
	l.Set(link.Faults{Cut: true})
	late := dial(t, l)
	for _, c := range []net.Conn{conn, late} {
		if _, err := io.WriteString(c, "meanwhile"); err != nil {
			t.Fatal(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("%d bytes came through a cut link, %v", n, err)
		}
		if err := c.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	l.Mend()
	for _, c := range []net.Conn{conn, late} {
		got := make([]byte, len("meanwhile"))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != "meanwhile" {
			t.Fatalf("%q came after the link was mended, %v", got, err)
		}
		says(t, c, "after")
	}
}

func TestRefusedConnectionsAreReset(t *testing.T) {
	l := open(t)
	conn := dial(t, l)
	says(t, conn, "before")
	l.Set(link.Faults{Refuse: true})
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it is not reset: %v", err)
	}
	if late, err := net.Dial("tcp", l.Address()); err == nil {
		if _, err := late.Read(make([]byte, 1)); err == nil {
			t.Error("somebody answered")
		}
		late.Close()
	}
	l.Mend()
	conn = dial(t, l)
	says(t, conn, "after")
	l.Sever()
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it is not severed: %v", err)
	}
	says(t, dial(t, l), "after that")
}

func TestADelayIsForEachWay(t *testing.T) {
	l := open(t)
	conn := dial(t, l)
	const latency = 20 * time.Millisecond
	l.Set(link.Faults{Latency: latency})
	began := time.Now()
	says(t, conn, "hello")
	if took := time.Since(began); took < 2*latency {
		t.Errorf("it took %s", took)
	}
}

func TestARateIsNotExceeded(t *testing.T) {
	l := open(t)
	l.Set(link.Faults{Rate: 100_000})
	conn := dial(t, l)
	began := time.Now()
	says(t, conn, string(make([]byte, 10_000)))
	says(t, conn, "more")
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("10,000 bytes took %s", took)
	}
}

func TestAnAnswerBreaksOff(t *testing.T) {
	l := open(t)
	l.Set(link.Faults{Break: 5})
	conn := dial(t, l)
	if _, err := io.WriteString(conn, "0123456789"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err == nil || len(got) > 5 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNothingListensWhereTheTargetIsAway(t *testing.T) {
	l, err := link.Open("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", l.Address()); err == nil {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("somebody answered")
		}
		conn.Close()
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
