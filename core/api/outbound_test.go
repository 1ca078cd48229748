package api

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"svc/shared/outbound"
	"svc/shared/wiretest"
)

// giver answers every request with so many new bytes.
type giver struct {
	testing.TB
	server *Server
	url    string
}

func newGiver(t testing.TB, most, size int) *giver {
	t.Helper()
	s := &Server{Config: Config{Logger: slog.New(slog.DiscardHandler)}, outbound: outbound.New(most), engine: gin.New()}
	s.engine.Any("/", func(g *gin.Context) {
		g.Header("Content-Encoding", "identity")
		s.give(g, http.StatusOK, make([]byte, size), size)
	})
	server := httptest.NewServer(s.engine)
	t.Cleanup(server.Close)
	return &giver{TB: t, server: s, url: server.URL}
}

// sleeper asks and takes nothing of the answer.
func (g *giver) sleeper(method string) {
	g.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		g.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "%s / HTTP/1.1\r\nHost: a\r\n\r\n", method); err != nil {
		g.Fatal(err)
	}
}

// ask takes an answer, and returns its status and its length.
func (g *giver) ask(method string) (status, length int) {
	g.Helper()
	r, err := http.NewRequestWithContext(g.Context(), method, g.url, nil)
	if err != nil {
		g.Fatal(err)
	}
	answer, err := wiretest.Client.Do(r)
	if err != nil {
		g.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		g.Fatal(err)
	}
	if answer.StatusCode == http.StatusServiceUnavailable {
		if answer.Header.Get("Retry-After") == "" || answer.Header.Get("Content-Encoding") != "" || !strings.Contains(string(body), `"UNAVAILABLE"`) {
			g.Fatalf("%v %s", answer.Header, body)
		}
	}
	return answer.StatusCode, len(body)
}

// way is what is on its way.
func (g *giver) way() (count, bytes int) {
	now := g.server.outbound.State()
	return now.Count, now.Bytes
}

// begunSince reports whether an answer that began after a time is on its way.
func (g *giver) begunSince(at time.Time) bool {
	return g.server.outbound.State().Newest.After(at)
}

func (g *giver) until(what string, ok func() bool) {
	g.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for over := time.Now().Add(2 * time.Minute); !ok(); <-tick.C {
		if time.Now().After(over) {
			g.Fatalf("waited in vain until %s", what)
		}
	}
}

func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestAnswersThatAreNotTakenTakeBoundedMemory: where callers who do not take theirs fill it, those who have had longest to
// do so are cut off, their memory is free, and the others get their answers whole.
func TestAnswersThatAreNotTakenTakeBoundedMemory(t *testing.T) {
	const size, fit, sleepers = 8 << 20, 4, 40
	g := newGiver(t, fit*size+size/2, size)
	g.server.outbound.Grace = 0
	before := live()
	for range sleepers {
		asked := time.Now()
		g.sleeper(http.MethodGet)
		g.until("its answer is on its way", func() bool { return g.begunSince(asked) })
		if _, bytes := g.way(); bytes > g.server.outbound.Most {
			t.Fatalf("answers of %d bytes are on their way, and %d may be", bytes, g.server.outbound.Most)
		}
	}
	g.until("the memory of those who were cut off is free", func() bool { return live()-before < g.server.outbound.Most+size })
	if status, length := g.ask(http.MethodGet); status != http.StatusOK || length != size {
		t.Errorf("another caller got %d and %d bytes", status, length)
	}
}

// TestEveryCallerHasAMomentToTakeAnAnswer: before that is over no one is cut off for another, who is told to come again,
// unless the answer is to a request that had its effect.
func TestEveryCallerHasAMomentToTakeAnAnswer(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	g := newGiver(t, size+size/2, size)
	g.server.outbound.Grace = time.Hour
	g.sleeper(http.MethodGet)
	g.until("an answer is on its way", func() bool { count, _ := g.way(); return count == 1 })
	if status, _ := g.ask(http.MethodGet); status != http.StatusServiceUnavailable {
		t.Errorf("another caller got %d", status)
	}
	if status, _ := g.ask(http.MethodHead); status != http.StatusOK {
		t.Errorf("HEAD got %d", status)
	}
	if count, _ := g.way(); count != 1 {
		t.Error("the first caller was cut off")
	}
	if status, length := g.ask(http.MethodPost); status != http.StatusOK || length != size {
		t.Errorf("a change was answered %d with %d bytes", status, length)
	}
}

// TestAnAnswerThatIsTakenIsForgotten: and one that is larger than all that may be is given when it is alone.
func TestAnAnswerThatIsTakenIsForgotten(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	g := newGiver(t, size/2, size)
	for range 3 {
		if status, length := g.ask(http.MethodGet); status != http.StatusOK || length != size {
			t.Fatalf("%d, %d bytes", status, length)
		}
		g.until("it is forgotten", func() bool { count, bytes := g.way(); return count == 0 && bytes == 0 })
	}
}
