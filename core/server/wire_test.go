package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/shared/connections"
	"svc/shared/problem"
	"svc/shared/wiretest"
)

// recorder notes the requests that reach it.
type recorder struct {
	mu   sync.Mutex
	seen []string // those that came whole
	ran  atomic.Int32
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.ran.Add(1)
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return // a request that broke off never was one
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, strings.TrimSpace(request.Method+" "+request.RequestURI+" "+string(body)))
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// talk sends bytes and nothing after them, and returns the answers, with their bodies read, until the server closes.
func talk(t *testing.T, address, send string) (all []*http.Response) {
	t.Helper()
	conn := dial(t, address)
	if _, err := io.WriteString(conn, send); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	return answers(t, bufio.NewReader(conn))
}

func answers(t *testing.T, r *bufio.Reader) (all []*http.Response) {
	t.Helper()
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return all
		}
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("after %d answers: %v", len(all), err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("answer %d: %v", len(all), err)
		}
		answer.Body = io.NopCloser(strings.NewReader(string(body)))
		all = append(all, answer)
	}
}

// TestOneReadingOfARequest: what core cannot read it refuses with a problem and gives the connection up, and nothing
// that is hidden in a request is taken for one of its own.
func TestOneReadingOfARequest(t *testing.T) {
	t.Parallel()
	for _, c := range wiretest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			core, want := &recorder{}, c.Core()
			address, _ := serve(t, core)
			got := talk(t, address, c.Send)
			var statuses []int
			for _, answer := range got {
				statuses = append(statuses, answer.StatusCode)
			}
			if !slices.Equal(statuses, want.Statuses) || !slices.Equal(core.seen, want.Seen) {
				t.Fatalf("answered %v, want %v; core saw %q, want %q", statuses, want.Statuses, core.seen, want.Seen)
			}
			if last := got[len(got)-1]; last.StatusCode >= 400 && core.ran.Load() == 0 {
				isProblem(t, last)
			}
		})
	}
}

// isProblem checks a refusal that no handler had a part in.
func isProblem(t *testing.T, answer *http.Response) {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	id := answer.Header.Get("Svc-Request-Id")
	if err != nil || answer.Header.Get("Content-Type") != problem.ContentType || len(id) != 32 || !answer.Close ||
		!strings.Contains(string(body), `"requestId":"`+id+`"`) || !strings.Contains(string(body), `"code":"VALIDATION_FAILED"`) ||
		!strings.Contains(string(body), fmt.Sprintf(`"status":%d`, answer.StatusCode)) {
		t.Errorf("no problem: %v %s %v", answer.Header, body, err)
	}
}

// TestAnswersOfHandlersAreLeftAlone: what a handler sends is never taken for the server's own words.
func TestAnswersOfHandlersAreLeftAlone(t *testing.T) {
	t.Parallel()
	text := "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	address, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush() // so that the text begins a write of its own
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}))
	for _, version := range []string{"1.0", "1.1"} {
		got := talk(t, address, "GET / HTTP/"+version+"\r\nHost: a\r\n\r\n")
		if len(got) != 1 {
			t.Fatalf("%d answers", len(got))
		}
		if body, err := io.ReadAll(got[0].Body); err != nil || string(body) != text {
			t.Errorf("HTTP/%s: %q, %v", version, body, err)
		}
	}
}

// TestASlowHeadIsCutOff: with an answer, whether it is the first on its connection or a later one.
func TestASlowHeadIsCutOff(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"the first": "", "the second": "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			s := New(&recorder{}, 0, slog.New(slog.DiscardHandler))
			s.header = time.Second
			address, _ := run(t, s)
			conn := dial(t, address)
			r := bufio.NewReader(conn)
			if before != "" {
				if _, err := io.WriteString(conn, before); err != nil {
					t.Fatal(err)
				}
				if answer, err := http.ReadResponse(r, nil); err != nil || answer.StatusCode != http.StatusOK {
					t.Fatal(answer, err)
				}
			}
			if _, err := io.WriteString(conn, "GET /slow HTTP/1.1\r\nHost: a\r\nX-Part: "); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				for tick := time.NewTicker(20 * time.Millisecond); ; {
					select {
					case <-stop:
						return
					case <-tick.C:
						_, _ = io.WriteString(conn, "y")
					}
				}
			}()
			got := answers(t, r)
			if len(got) != 1 || got[0].StatusCode != http.StatusRequestTimeout {
				t.Fatalf("%v", got)
			}
			isProblem(t, got[0])
		})
	}
}

// TestConnectionsAreBounded: however many come, and whatever they leave unsaid, requests are answered; those that rest
// longest are closed, and none that is being answered is.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const most, come = 200, 1000
	release := make(chan struct{})
	s := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-release
		}
	}), 0, slog.New(slog.DiscardHandler))
	s.connections = connections.New(most)
	address, _ := run(t, s)
	slow, working := dial(t, address), dial(t, address)
	if _, err := io.WriteString(slow, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	ask := func(conn net.Conn) {
		t.Helper()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
	}
	for i := range come {
		switch conn := dial(t, address); i % 3 {
		case 0: // says nothing
		case 1:
			if _, err := io.WriteString(conn, "GET /healthz HT"); err != nil {
				t.Fatal(err)
			}
		case 2:
			ask(conn)
		}
		if i%50 == 0 {
			ask(working)
		}
	}
	eventually(t, func() bool { return s.connections.Count() <= most })
	ask(working)
	close(release)
	if answer, err := http.ReadResponse(bufio.NewReader(slow), nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal("a request that was being answered was cut off", answer, err)
	}
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for over := time.Now().Add(2 * time.Minute); !holds(); <-look.C {
		if time.Now().After(over) {
			t.Fatal("never")
		}
	}
}

// TestAStoppingServerSaysSo: for the time to drain it answers, is unready, and tells callers to go; then it takes no one
// new and closes what rests.
func TestAStoppingServerSaysSo(t *testing.T) {
	t.Parallel()
	s := New(&recorder{}, 2*time.Second, slog.New(slog.DiscardHandler))
	address, stop := run(t, s)
	rests, asks := dial(t, address), dial(t, address)
	eventually(t, func() bool { return s.connections.Count() == 2 })
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	eventually(t, func() bool { return len(s.Unready()) == 1 })
	got := talk(t, address, "GET /new HTTP/1.1\r\nHost: a\r\n\r\nGET /more HTTP/1.1\r\nHost: a\r\n\r\n")
	if len(got) != 1 || got[0].StatusCode != http.StatusOK || !got[0].Close {
		t.Fatalf("while draining: %v", got)
	}
	if _, err := io.WriteString(asks, "GET /old HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := http.ReadResponse(bufio.NewReader(asks), nil); err != nil || answer.StatusCode != http.StatusOK || !answer.Close {
		t.Fatal(answer, err)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, rests); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatal(err)
	}
}
