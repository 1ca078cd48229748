package core

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

	"svc/shared/problem"
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

const inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

// TestOneReadingOfARequest: what core cannot read it refuses with a problem and gives the connection up, and nothing
// that is hidden in a request is taken for one of its own.
func TestOneReadingOfARequest(t *testing.T) {
	t.Parallel()
	chunked := "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, send string
		statuses   []int
		seen       []string
	}{
		{"two lengths", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab" + inner, []int{400}, nil},
		{"a length with a sign", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nab" + inner, []int{400}, nil},
		{"a hexadecimal length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\nab" + inner, []int{400}, nil},
		{"a huge length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nab" + inner, []int{400}, nil},
		{"a coding nobody knows", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"identity", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n" + inner, []int{400}, nil},
		{"two codings", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"a vertical tab before chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"a size with a prefix", chunked + "0x2\r\nab\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"a chunk that is longer than told", chunked + "2\r\nabcd\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"a size beyond all numbers", chunked + "fffffffffffffffff2\r\nab\r\n0\r\n\r\n" + inner, []int{400}, nil},
		{"a body that ends early", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\nx", []int{400}, nil},
		{"a folded first line", "GET /p HTTP/1.1\r\n Host: a\r\n\r\n" + inner, []int{400}, nil},
		{"a space before the colon", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length : 37\r\n\r\n" + inner, []int{400}, nil},
		{"no name", "GET /p HTTP/1.1\r\nHost: a\r\n: z\r\n\r\n" + inner, []int{400}, nil},
		{"no colon", "GET /p HTTP/1.1\r\nHost: a\r\nXYZ\r\n\r\n" + inner, []int{400}, nil},
		{"a zero byte", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\x00z\r\n\r\n" + inner, []int{400}, nil},
		{"a space in a target", "GET /p q HTTP/1.1\r\nHost: a\r\n\r\n" + inner, []int{400}, nil},
		{"no host", "GET /p HTTP/1.1\r\n\r\n" + inner, []int{400}, nil},
		{"two hosts", "GET /p HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + inner, []int{400}, nil},
		{"a version that is none", "GET /p HTTP/9.9\r\nHost: a\r\n\r\n" + inner, []int{400}, nil},
		{"HTTP/0.9", "GET /p\r\n\r\n" + inner, []int{400}, nil},
		{"no HTTP", "hello\r\n\r\n" + inner, []int{400}, nil},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}, nil},
		{"an expectation nobody can meet", "POST /p HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\nab" + inner, []int{417}, nil},
		{"a huge header", "GET /p HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n" + inner, []int{431}, nil},
		{"a huge target", "GET /" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n" + inner, []int{431}, nil},
		{"many headers", "GET /p HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", 10_000) + "\r\n" + inner, []int{431}, nil},
		// The coding counts, as RFC 9112, section 6.3, says; what the length would have hidden is not hidden.
		{"both length and coding", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\nGET /q HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 200}, []string{"POST /p ab", "GET /q"}},
		{"chunks", chunked + "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\nGET /q HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 200}, []string{"POST /p abcde", "GET /q"}},
		{"a pipeline", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 200, 200}, []string{"GET /1", "POST /2 abc", "GET /3"}},
		{"a pipeline after what is no request", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 400}, []string{"GET /1"}},
		{"a pipeline that says close", "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET /1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			core := &recorder{}
			address, _ := serve(t, core)
			got := talk(t, address, c.send)
			var statuses []int
			for _, answer := range got {
				statuses = append(statuses, answer.StatusCode)
			}
			if !slices.Equal(statuses, c.statuses) || !slices.Equal(core.seen, c.seen) {
				t.Fatalf("answered %v, want %v; core saw %q, want %q", statuses, c.statuses, core.seen, c.seen)
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
			s := newServer(&recorder{}, 0, slog.New(slog.DiscardHandler))
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
	s := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-release
		}
	}), 0, slog.New(slog.DiscardHandler))
	s.connections.most = most
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
	eventually(t, func() bool { return s.connections.count() <= most })
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

// TestAStoppingServerSaysSo: for the time to drain it answers, is unready, and tells callers to go; then it takes nobody
// new and closes what rests.
func TestAStoppingServerSaysSo(t *testing.T) {
	t.Parallel()
	s := newServer(&recorder{}, 2*time.Second, slog.New(slog.DiscardHandler))
	address, stop := run(t, s)
	rests, asks := dial(t, address), dial(t, address)
	eventually(t, func() bool { return s.connections.count() == 2 })
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	eventually(t, func() bool { return len(s.unready()) == 1 })
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
