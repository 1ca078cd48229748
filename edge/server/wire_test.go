package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 2 * time.Minute

// dial opens a connection to the server that fails a test rather than hang.
func (s *stand) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// talk sends bytes and nothing after them, and returns the answers until the server closes.
func (s *stand) talk(t *testing.T, send string) []*http.Response {
	t.Helper()
	conn := s.dial(t)
	if _, err := io.WriteString(conn, send); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(send, " ")
	return answers(t, bufio.NewReader(conn), method)
}

// answers reads answers to a method until there are no more.
func answers(t *testing.T, r *bufio.Reader, method string) (all []*http.Response) {
	t.Helper()
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return all
		}
		answer, err := http.ReadResponse(r, &http.Request{Method: method})
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

func text(t *testing.T, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// recorder is a core that notes what reaches it.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // a request that broke off never was one
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, strings.TrimSpace(request.Method+" "+request.RequestURI+" "+string(body)))
	fmt.Fprintf(w, "core %d", len(r.seen))
}

func (r *recorder) saw() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}
