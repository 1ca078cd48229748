package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/edge/limit"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/wiretest"
)

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for over := time.Now().Add(patience); !holds(); <-look.C {
		if time.Now().After(over) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// status asks on an open connection and returns the status of the answer.
func ask(t *testing.T, conn net.Conn, target string) *http.Response {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", target); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer
}

// A caller that dribbles the head of a request is cut off when its time is over, however busy it looks.
func TestADribbledHeadIsCutOff(t *testing.T) {
	s := startWith(t, plenty, noCore(t), Config{Pace: Pace{Header: 300 * time.Millisecond}})
	conn := s.dial(t)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
			select {
			case <-stop:
				return
			default:
				_, _ = io.WriteString(conn, "X: y\r\n")
			}
		}
	}()
	defer close(stop)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body := text(t, answer); answer.StatusCode != http.StatusRequestTimeout || !answer.Close || !strings.Contains(body, `"status":408`) {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	until(t, "the connection is gone", func() bool { return s.server.connections.Count() == 0 })
}

// So is one that dribbles the head of its second request.
func TestADribbledSecondHeadIsCutOff(t *testing.T) {
	s := startWith(t, plenty, noCore(t), Config{Pace: Pace{Header: time.Second}})
	conn := s.dial(t)
	ask(t, conn, "/healthz")
	if _, err := io.WriteString(conn, "GET /healthz HT"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusRequestTimeout {
		t.Fatalf("%v, %v", answer, err)
	}
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	s := startWith(t, plenty, noCore(t), Config{Pace: Pace{Idle: time.Second}})
	conn := s.dial(t)
	ask(t, conn, "/healthz")
	if rest, err := io.ReadAll(conn); err != nil || len(rest) != 0 {
		t.Fatalf("a connection that rested was closed with %q, %v", rest, err)
	}
}

// A caller that sends a body slower than anybody waits gets an answer and loses the connection.
func TestABodyThatStopsIsCutOff(t *testing.T) {
	for name, head := range map[string]string{
		"its beginning": "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
		"its middle":    "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n" + strings.Repeat("x", 9000),
		"a chunk":       "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
	} {
		t.Run(name, func(t *testing.T) {
			s := startPaced(t, &recorder{}, 200*time.Millisecond)
			conn := s.dial(t)
			if _, err := io.WriteString(conn, head); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != http.StatusRequestTimeout || !answer.Close {
				t.Fatalf("%d %s", answer.StatusCode, text(t, answer))
			}
		})
	}
}

// A caller that does not take its answer costs nothing for long.
func TestAnAnswerThatIsNotTakenIsDropped(t *testing.T) {
	core := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for { // until the edge hangs up
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	s := startPaced(t, core, 200*time.Millisecond)
	conn := s.dial(t)
	if _, err := io.WriteString(conn, "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	until(t, "the connection is given up", func() bool { return s.server.connections.Count() == 0 })
}

// However many connections rest, their number is bounded; those that rest longest go first, and requests are answered.
func TestIdleConnectionsAreBounded(t *testing.T) {
	const most, come = 200, 1000
	s := startWith(t, plenty, noCore(t), Config{MostConnections: most})
	working := s.dial(t)
	before := memory()
	for i := range come {
		conn := s.dial(t)
		switch i % 3 {
		case 0: // says nothing
		case 1:
			if _, err := io.WriteString(conn, "GET /healthz HT"); err != nil {
				t.Fatal(err)
			}
		case 2:
			ask(t, conn, "/healthz")
		}
		if i%50 == 0 {
			if answer := ask(t, working, "/healthz"); answer.StatusCode != http.StatusOK {
				t.Fatal(answer.Status)
			}
		}
	}
	until(t, "connections are closed", func() bool { return s.server.connections.Count() <= most })
	if used := memory() - before; used > come*64<<10 {
		t.Errorf("%d connections, of which %d may stay, take %d KiB", come, most, used>>10)
	} else {
		t.Logf("%d connections, of which %d may stay, take %d KiB", come, most, used>>10)
	}
	if answer := ask(t, working, "/healthz"); answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
}

func TestMemoryOfAConnection(t *testing.T) {
	const come = 1000
	s := startWith(t, plenty, noCore(t), Config{MostConnections: 2 * come})
	before := memory()
	for range come {
		ask(t, s.dial(t), "/healthz")
	}
	used := (memory() - before) / come
	t.Logf("%d KiB each", used>>10)
	if used > connectionMemory {
		t.Errorf("a connection takes %d KiB, reckoned with are %d", used>>10, connectionMemory>>10)
	}
}

func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// A request that is being answered keeps its connection, however many others come.
func TestConnectionsInUseAreKept(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := startWith(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
	}), Config{MostConnections: 10})
	conn := s.dial(t)
	if _, err := io.WriteString(conn, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-arrived
	for range 100 {
		ask(t, s.dial(t), "/healthz")
	}
	close(release)
	if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
}

type broken struct{}

func (broken) Open(context.Context, string) (read.View, error) { panic("broken") }

func TestAPanicIsAnInternalError(t *testing.T) {
	s := startWith(t, plenty, noCore(t), Config{Engine: &read.Engine{Store: broken{}, Keys: readtest.NewMemory().Keys(), Now: time.Now}})
	got := s.talk(t, "GET /v1/projects/p/collections HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
	if len(got) != 1 || got[0].StatusCode != http.StatusInternalServerError || !got[0].Close || !strings.Contains(text(t, got[0]), `"code":"INTERNAL"`) {
		t.Fatalf("%v", got)
	}
	if got := s.talk(t, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"); len(got) != 1 || got[0].StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v", got)
	}
}

// starving is a listener that has no file descriptors left for a while.
type starving struct {
	net.Listener
	failures atomic.Int32
	err      error
}

func (s *starving) Accept() (net.Conn, error) {
	if s.failures.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: s.err}
	}
	return s.Listener.Accept()
}

func TestALackOfFileDescriptorsPasses(t *testing.T) {
	testAccept(t, errLack, true)
}

func TestABrokenListenerEndsTheServer(t *testing.T) {
	testAccept(t, errBroken, false)
}

func testAccept(t *testing.T, failure error, goesOn bool) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	l := &starving{Listener: inner, err: failure}
	l.failures.Store(3)
	s := New(Config{Limiter: limit.New(plenty, nil), Status: &status{}, Logger: discard})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	if goesOn {
		answer, err := wiretest.Client.Get("http://" + inner.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		stop()
	}
	defer stop()
	if err := <-done; (err == nil) != goesOn {
		t.Fatal(err)
	}
}
