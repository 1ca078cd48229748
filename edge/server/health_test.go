package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestHealthTakesGetAndHeadAlone: any other method is told so, and core is not asked.
func TestHealthTakesGetAndHeadAlone(t *testing.T) {
	s := start(t, plenty, noCore(t))
	for _, path := range []string{"/healthz", "/readyz"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			got := s.talk(t, method+" "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
			if len(got) != 1 {
				t.Fatalf("%s %s: %v", method, path, got)
			}
			want, allow := http.StatusMethodNotAllowed, "GET, HEAD"
			if method == "GET" || method == "HEAD" {
				want, allow = http.StatusOK, ""
			}
			if got[0].StatusCode != want || got[0].Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, allow %q", method, path, got[0].StatusCode, got[0].Header.Get("Allow"))
			}
		}
	}
}

// TestHeadsHaveOneLimit: 16 KiB, as on core.
func TestHeadsHaveOneLimit(t *testing.T) {
	s := start(t, plenty, noCore(t))
	for size, want := range map[int]int{15 << 10: http.StatusOK, 17 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		got := s.talk(t, "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: "+strings.Repeat("x", size)+"\r\n\r\n")
		if len(got) != 1 || got[0].StatusCode != want {
			t.Errorf("%d bytes: %v", size, got)
		}
	}
}

// lines collects what is logged.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

type failing struct{ err error }

func (s failing) Open(context.Context, string) (read.View, error) { return nil, s.err }

// TestFailedReadsAreLoggedAsLoudAsTheyDeserve: an outage that is answered as one is a warning, what no one expects an
// error.
func TestFailedReadsAreLoggedAsLoudAsTheyDeserve(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		level  string
	}{
		{&fault.Error{Code: fault.Unavailable, Detail: "away", Err: errors.New("the cause")}, http.StatusServiceUnavailable, "level=WARN"},
		{errors.New("the cause"), http.StatusInternalServerError, "level=ERROR"},
	} {
		var log lines
		s := startWith(t, plenty, noCore(t), Config{
			Engine: &read.Engine{Store: failing{c.err}, Keys: readtest.NewMemory().Keys(), Now: time.Now},
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		got := s.talk(t, "GET /v1/projects/p/collections HTTP/1.1\r\nHost: a\r\n\r\n")
		if len(got) != 1 || got[0].StatusCode != c.status || !strings.Contains(log.String(), c.level) || !strings.Contains(log.String(), "the cause") {
			t.Errorf("%v: %v %s", c.err, got, log.String())
		}
	}
}
