package origin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/shared/wiretest"
)

const (
	huge  = 96 << 20
	bound = 32 << 20 // of what may be in memory meanwhile, on all three sides
)

// sampler notes how much memory is in use while something goes on.
type sampler struct{ most atomic.Uint64 }

func (s *sampler) watch(t *testing.T) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for look := time.NewTicker(20 * time.Millisecond); ; <-look.C {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			s.most.Store(max(s.most.Load(), m.HeapInuse))
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestHugeBodiesAreStreamed(t *testing.T) {
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost {
			n, err := io.Copy(io.Discard, req.Body)
			fmt.Fprintf(w, "%d %v", n, err)
			return
		}
		if req.URL.Path == "/known" {
			w.Header().Set("Content-Length", fmt.Sprint(huge))
		}
		_, _ = io.CopyN(w, zeros{}, huge)
	}, Pace{})
	for _, known := range []bool{true, false} {
		var memory sampler
		t.Run(fmt.Sprintf("known length %v", known), func(t *testing.T) {
			memory.watch(t)
			request, err := http.NewRequest(http.MethodPost, "http://"+r.address+"/", io.LimitReader(zeros{}, huge))
			if err != nil {
				t.Fatal(err)
			}
			if known {
				request.ContentLength = huge
			}
			answer, err := wiretest.Client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if body, err := io.ReadAll(answer.Body); err != nil || string(body) != fmt.Sprintf("%d <nil>", huge) {
				t.Fatalf("up: %s, %v", body, err)
			}
			answer, err = wiretest.Client.Get("http://" + r.address + map[bool]string{true: "/known", false: "/unknown"}[known])
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if n, err := io.Copy(io.Discard, answer.Body); n != huge || err != nil {
				t.Fatalf("down: %d bytes, %v", n, err)
			}
		})
		if most := memory.most.Load(); most > bound {
			t.Errorf("%d MiB were in use", most>>20)
		}
	}
}

func TestCoreAbsent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	r := relayTo(t, "http://"+l.Addr().String(), Pace{})
	got := r.send(t, get("/v1/auth/whoami"))
	if got.status != http.StatusServiceUnavailable || !strings.Contains(got.head, "Retry-After: 2") || !strings.Contains(got.body, `"code":"UNAVAILABLE"`) {
		t.Fatalf("%s%s", got.head, got.body)
	}
	until(t, "the exchange is over", r.isFree)
}

// A core that takes requests and says nothing is unavailable after its time; reads need no more than that to go on.
func TestCoreSilent(t *testing.T) {
	release := make(chan struct{})
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) { <-release }, Pace{Core: 100 * time.Millisecond})
	defer close(release)
	if got := r.send(t, get("/")); got.status != http.StatusServiceUnavailable {
		t.Fatalf("%s%s", got.head, got.body)
	}
	until(t, "the exchange is over", r.isFree)
}

// What core breaks off in the middle is seen to be broken off.
func TestCoreDiesInTheMiddleOfAnAnswer(t *testing.T) {
	large := strings.Repeat("x", 64<<10)
	for _, c := range []struct{ name, script string }{
		{"of known length", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + large},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" + large + "\r\n"},
		{"in the middle of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n" + large},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := relayToScript(t, c.script, Pace{})
			got := r.send(t, get("/"))
			if got.status != http.StatusOK || !errors.Is(got.err, io.ErrUnexpectedEOF) {
				t.Fatalf("%d, %d bytes, %v", got.status, len(got.body), got.err)
			}
			until(t, "the exchange is over", r.isFree)
		})
	}
	for _, c := range []struct{ name, script string }{
		{"of small length", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"},
		{"before its head", ""},
		{"within its head", "HTTP/1.1 200 OK\r\nContent-Le"},
		{"that is none", "what?\r\n\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := relayToScript(t, c.script, Pace{})
			if got := r.send(t, get("/")); got.status != http.StatusServiceUnavailable || got.err != nil {
				t.Fatalf("%s%s", got.head, got.body)
			}
			until(t, "the exchange is over", r.isFree)
		})
	}
}

// To a caller of HTTP/1.0, for whom the end of the connection is the end of the body, a broken one is reset.
func TestCoreDiesBeforeACallerOfHTTP10(t *testing.T) {
	r, _ := relayToScript(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", Pace{})
	conn := r.dial(t)
	if _, err := io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(conn); err == nil {
		t.Fatalf("a whole answer: %q", all)
	}
	until(t, "the exchange is over", r.isFree)
}

// A core that pauses in the middle of an answer holds no one for ever.
func TestCorePausesInTheMiddleOfAnAnswer(t *testing.T) {
	for name, length := range map[string]string{"small": "9000", "large": "100000"} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Content-Length", length)
				_, _ = io.WriteString(w, strings.Repeat("x", 8000))
				w.(http.Flusher).Flush()
				<-release
			}, Pace{Core: 150 * time.Millisecond})
			defer close(release)
			got := r.send(t, get("/"))
			if got.status == http.StatusOK && got.err == nil {
				t.Fatalf("a whole answer: %s%s", got.head, got.body)
			}
			until(t, "the exchange is over", r.isFree)
		})
	}
}

func TestACallerGoneInTheMiddleOfABody(t *testing.T) {
	for name, head := range map[string]string{
		"of known length": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 20_000),
		"in chunks":       "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n" + strings.Repeat("x", 20_000) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			arrived, broken := make(chan struct{}), make(chan error, 1)
			r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
				if _, err := io.ReadFull(req.Body, make([]byte, 20_000)); err != nil {
					t.Error(err)
				}
				close(arrived)
				_, err := io.Copy(io.Discard, req.Body)
				broken <- err
			}, Pace{})
			conn := r.dial(t)
			if _, err := io.WriteString(conn, head); err != nil {
				t.Fatal(err)
			}
			<-arrived
			conn.Close()
			if err := <-broken; err == nil {
				t.Error("core takes the part for the whole")
			}
			until(t, "the exchange is over", r.isFree)
		})
	}
}

func TestACallerGoneInTheMiddleOfAnAnswer(t *testing.T) {
	broken := make(chan error, 1)
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		_, err := io.CopyN(w, zeros{}, 1<<40)
		broken <- err
	}, Pace{})
	conn := r.dial(t)
	if _, err := io.WriteString(conn, get("/")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := <-broken; err == nil {
		t.Error("core went on to the end")
	}
	until(t, "the exchange is over", r.isFree)
}

// An answer that comes while the body is still being sent reaches its caller, who may stop or go on.
func TestAnEarlyAnswer(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	r := relayToConn(t, Pace{}, func(conn net.Conn) {
		if _, err := readHead(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 12\r\n\r\nwho are you?")
			<-over
		}
	})
	for name, request := range map[string]string{
		"to a caller that pauses": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 10_000),
		"to chunks":               "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := r.send(t, request)
			if got.status != http.StatusUnauthorized || got.body != "who are you?" || !strings.Contains(got.head, "Connection: close") {
				t.Fatalf("%s%s", got.head, got.body)
			}
			until(t, "the exchange is over", r.isFree)
		})
	}
}

// Beyond what may be under way requests are refused at once, and taken again when there is room.
func TestTooManyUnderWay(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	core := func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			arrived <- struct{}{}
			<-release
		}
	}
	r := relayToHandler(t, core, Pace{})
	r.most = 2
	var conns []net.Conn
	for range 2 {
		conn := r.dial(t)
		if _, err := io.WriteString(conn, get("/slow")); err != nil {
			t.Fatal(err)
		}
		<-arrived
		conns = append(conns, conn)
	}
	if got := r.send(t, get("/")); got.status != http.StatusServiceUnavailable || !strings.Contains(got.head, "Retry-After: 1") {
		t.Fatalf("%s%s", got.head, got.body)
	}
	close(release)
	for _, conn := range conns {
		if got := receive(t, bufio.NewReader(conn), "GET"); got.status != http.StatusOK {
			t.Fatal(got.head)
		}
	}
	until(t, "the exchanges are over", r.isFree)
	if got := r.send(t, get("/")); got.status != http.StatusOK {
		t.Fatalf("%s%s", got.head, got.body)
	}
	r.Wait()
}
