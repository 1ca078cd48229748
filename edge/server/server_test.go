package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/edge/limit"
	"svc/edge/origin"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/wiretest"
)

// stand is an edge server on a store in memory, before a core that a test plays.
type stand struct {
	origin  string
	subject *readtest.Memory
	status  *status
	server  *Server
	stop    context.CancelFunc
	over    chan struct{} // closed when the server has stopped
	err     error
}

type status struct {
	stale   time.Duration
	reasons []string
}

func (s *status) Stale() (time.Duration, bool) { return s.stale, s.stale > 0 }
func (s *status) Unready() []string            { return s.reasons }

func start(t *testing.T, policy limit.Policy, core http.Handler) *stand {
	t.Helper()
	return startWith(t, policy, core, Config{})
}

// startPaced starts one that waits for callers no longer than told, forwarding included.
func startPaced(t *testing.T, core http.Handler, caller time.Duration) *stand {
	t.Helper()
	return startWith(t, plenty, core, Config{Pace: Pace{Caller: caller}})
}

var discard = slog.New(slog.DiscardHandler)

// startWith starts a server that is configured as given, as far as it is.
func startWith(t *testing.T, policy limit.Policy, core http.Handler, cfg Config) *stand {
	t.Helper()
	cfg.Limiter = limit.New(policy, nil)
	return startOn(t, readtest.NewMemory(), core, cfg)
}

// startOn starts one on a store; there is no limit unless one is configured.
func startOn(t *testing.T, subject *readtest.Memory, core http.Handler, cfg Config) *stand {
	t.Helper()
	if cfg.Limiter == nil {
		cfg.Limiter = limit.New(plenty, nil)
	}
	upstream := httptest.NewServer(core)
	t.Cleanup(upstream.Close)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	cores, err := origin.NewCores(upstream.URL, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cores.CloseIdleConnections)
	forwarder := origin.New(origin.Config{Cores: cores, Logger: logger, Pace: origin.Pace{Caller: cfg.Pace.Caller}})
	st := &status{}
	if cfg.Engine == nil {
		cfg.Engine = &read.Engine{Store: subject.Store(), Keys: subject.Keys(), Now: time.Now, LocalOrigins: true}
	}
	if cfg.Resolve == nil {
		cfg.Resolve = func(ref string) *read.Project {
			view, err := subject.Open(context.Background(), ref)
			if err != nil {
				return nil
			}
			defer view.Close()
			return view.Project()
		}
	}
	if cfg.Keys == nil {
		cfg.Keys = subject.Keys()
	}
	if cfg.Pace.Settle == 0 {
		cfg.Pace.Settle = 50 * time.Millisecond
	}
	if cfg.Logger == nil {
		cfg.Logger = logger
	}
	cfg.Forwarder, cfg.Status = forwarder, st
	server := New(cfg)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &stand{"http://" + l.Addr().String(), subject, st, server, cancel, make(chan struct{}), nil}
	go func() { s.err = server.Serve(ctx, l); close(s.over) }()
	t.Cleanup(func() {
		cancel()
		<-s.over
		if s.err != nil {
			t.Error(s.err)
		}
	})
	return s
}

var localhost = netip.MustParseAddr("127.0.0.1")

var plenty = limit.Policy{Name: "reads", Rate: 1e6, Burst: 1e6}

func noCore(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Errorf("core was asked for %s %s", r.Method, r.URL) })
}

func TestReadScriptsThroughTheServer(t *testing.T) {
	readtest.Replay(t, func(t *testing.T) readtest.Site {
		s := start(t, plenty, noCore(t))
		return readtest.HTTPSite(s.subject, s.origin)
	})
}

func TestEverythingElseIsPassedOn(t *testing.T) {
	s := start(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Saw", r.Method+" "+r.RequestURI+" "+string(body))
		w.Header().Set("X-From", r.Header.Get("X-Forwarded-For"))
		w.Header().Set("Keep-Alive", "timeout=1")
		if r.Header.Get("X-Hop") != "" || r.Header.Get("Te") != "" {
			t.Error("hop-by-hop headers were passed on")
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	for _, c := range []struct{ method, target, body string }{
		{"POST", "/v1/projects/p/collections/posts/entries", `{"data":{}}`},
		{"GET", "/v1/projects/p/collections/posts", ""},
		{"PATCH", "/v1/projects/p/entries/ent_x?a=b%20c&a=d", `{}`},
		{"DELETE", "/v1/projects/p%2fq/a/../b", ""},
		{"GET", "/openapi.json", ""},
		{"PUT", "/v1/large", strings.Repeat("x", 1<<20)},
	} {
		req, err := http.NewRequest(c.method, s.origin+c.target, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Connection", "X-Hop")
		req.Header.Set("X-Hop", "1")
		req.Header.Set("X-Forwarded-For", "203.0.113.9")
		resp, err := wiretest.Client.Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := strings.TrimSpace(c.method + " " + c.target + " " + c.body); resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Saw") != want {
			t.Errorf("%s %s: %d, core saw %.100q", c.method, c.target, resp.StatusCode, resp.Header.Get("X-Saw"))
		}
		if resp.Header.Get("X-From") != "127.0.0.1" || resp.Header.Get("Keep-Alive") != "" || resp.Header.Get("Svc-Request-Id") == "" {
			t.Errorf("%s: headers %v", c.target, resp.Header)
		}
	}
}

func TestAnswersAreStreamed(t *testing.T) {
	release := make(chan struct{})
	s := start(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("a", 64<<10))
		w.(http.Flusher).Flush()
		<-release
		io.WriteString(w, "end")
	}))
	resp, err := wiretest.Client.Get(s.origin + "/v1/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 32<<10)); err != nil {
		t.Fatal(err) // would hang if the answer were collected first
	}
	close(release)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.HasSuffix(string(rest), "end") {
		t.Fatalf("%d bytes, %v", len(rest), err)
	}
}

// A core that answers before it has read the body must leave the connection in order.
func TestAnEarlyAnswerToALargeBody(t *testing.T) {
	s := start(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}))
	client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
	for range 20 {
		resp, err := client.Post(s.origin+"/v1/big", "application/json", io.LimitReader(zeros{}, 20<<20))
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Fatalf("answered %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
	resp, err := client.Get(s.origin + "/healthz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v, %v", resp, err)
	}
	resp.Body.Close()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestCoreAwayIsUnavailable(t *testing.T) {
	s := start(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }))
	resp, err := wiretest.Client.Get(s.origin + "/v1/auth/whoami")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "2" || !strings.Contains(string(body), `"code":"UNAVAILABLE"`) {
		t.Fatalf("%d %v %s %v", resp.StatusCode, resp.Header, body, err)
	}
}

func TestLimitsAndTheirHeaders(t *testing.T) {
	s := start(t, limit.Policy{Name: "reads", Rate: 0.05, Burst: 2}, noCore(t)) // one in twenty seconds
	get := func() *http.Response {
		resp, err := wiretest.Client.Get(s.origin + "/v1/projects/nowhere-at-all%20/collections")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	first := get()
	if first.StatusCode != http.StatusNotFound || first.Header.Get("RateLimit-Policy") != `"reads";q=2;w=40` || first.Header.Get("RateLimit") != `"reads";r=1;t=20` {
		t.Fatalf("%d, %v", first.StatusCode, first.Header)
	}
	get()
	refused := get()
	again, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if refused.StatusCode != http.StatusTooManyRequests || err != nil || again < 1 || again > 20 {
		t.Fatalf("%d, %v", refused.StatusCode, refused.Header)
	}
}

func TestStaleAnswersSaySo(t *testing.T) {
	s := start(t, plenty, noCore(t))
	s.status.stale = 90 * time.Second
	resp, err := wiretest.Client.Get(s.origin + "/v1/projects/nowhere-at-all%20/collections")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Header.Get("Svc-Stale") != "90" {
		t.Fatal(resp.Header)
	}
}

func TestReadiness(t *testing.T) {
	s := start(t, plenty, noCore(t))
	s.status.reasons = []string{"prj_x is 40 s behind"}
	resp, err := wiretest.Client.Get(s.origin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "40 s behind") {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
}

var (
	errLack   = syscall.EMFILE
	errBroken = syscall.EBADF
)
