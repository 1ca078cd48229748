package server

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/edge/limit"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// breaking is a store on which single entries are not read but panic, and lists take for ever.
type breaking struct{ read.Store }

func (b breaking) Open(ctx context.Context, project string) (read.View, error) {
	v, err := b.Store.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	return &breakingView{busyView{v}}, nil
}

type breakingView struct{ busyView }

func (*breakingView) BySlug(context.Context, string, string, uint64) (read.Row, bool, error) {
	panic("as wanted")
}

// unsure is a key store that no one can reach.
type unsure struct{}

func (unsure) Grant(context.Context, string) (*credential.Grant, error) {
	return nil, &fault.Error{Code: fault.Unavailable, Detail: "core is away", RetryAfter: 3 * time.Second}
}

// TestBrowsersCanReadEveryRefusal: an edge or core, whichever refuses a read, says who may read it and what it varies by.
func TestBrowsersCanReadEveryRefusal(t *testing.T) {
	t.Parallel()
	const entries = "/v1/projects/shop/collections/posts/entries"
	key := "Authorization: Bearer " + credential.Mint(credential.APIKey).Text() + "\r\n"
	away := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for name, c := range map[string]struct {
		request string // up to the headers
		status  int
		set     func(cfg *Config, m *readtest.Memory)
		core    http.Handler
		large   bool
		asks    bool   // core
		body    string // of the request
		unknown bool   // no one can tell which project this is about
	}{
		"limited": {request: "GET " + entries, status: 429, set: func(cfg *Config, _ *readtest.Memory) {
			cfg.Limiter = limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 1}, nil)
			cfg.Limiter.Allow(localhost, string(readtest.Project(1)))
		}},
		"limited, of HEAD": {request: "HEAD " + entries, status: 429, set: func(cfg *Config, _ *readtest.Memory) {
			cfg.Limiter = limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 1}, nil)
			cfg.Limiter.Allow(localhost, string(readtest.Project(1)))
		}},
		"a list that takes too long": {request: "GET " + entries, status: 503, set: func(cfg *Config, m *readtest.Memory) {
			cfg.Engine.Store, cfg.Pace.Read = breaking{m.Store()}, time.Millisecond
		}},
		"too many answers": {request: "GET /v1/projects/large/collections/posts/entries", status: 503, large: true, set: func(cfg *Config, _ *readtest.Memory) {
			cfg.MostAnswers = 1
		}},
		"a panic": {request: "GET " + entries + "/hello", status: 500, unknown: true, set: func(cfg *Config, m *readtest.Memory) {
			cfg.Engine.Store, cfg.Logger = breaking{m.Store()}, discard
		}},
		"core away":                        {request: "GET " + entries + "?at=99", status: 503, core: away},
		"core away, for a release to come": {request: "GET " + entries + " HTTP/1.1\r\nSvc-Min-Release: 99", status: 503, core: away},
		"credentials too old": {request: "GET /v1/projects/shop/collections/drafts/entries HTTP/1.1\r\n" + key, status: 503, set: func(cfg *Config, _ *readtest.Memory) {
			cfg.Engine.Keys = unsure{}
		}},
		"a key that is not good": {request: "GET " + entries + " HTTP/1.1\r\n" + key, status: 401},
		"a private collection":   {request: "GET /v1/projects/shop/collections/drafts/entries", status: 401},
		"no collection":          {request: "GET /v1/projects/shop/collections/nothing/singleton", status: 404},
		"a bad parameter":        {request: "GET " + entries + "?limit=x", status: 400},
		"a bad header":           {request: "GET " + entries + " HTTP/1.1\r\nSvc-Min-Release: x", status: 400},
		"a method":               {request: "DELETE " + entries, status: 405, asks: true},
		"a body":                 {request: "GET " + entries + " HTTP/1.1\r\nContent-Length: 2", body: "{}", status: 400},
		"two lengths":            {request: "GET " + entries + " HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0", status: 400, unknown: true},
		"a fragment":             {request: "GET " + entries + "#a", status: 400, unknown: true},
		"a path":                 {request: "GET " + entries + "/%zz", status: 400},
		"a long head":            {request: "GET " + entries + "?" + strings.Repeat("x", maxHeader), status: 431, unknown: true},
		"no HTTP":                {request: "GET " + entries + " HTTP/1.1\r\nno header", status: 400, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := readtest.NewMemory()
			if c.large {
				publishLarge(t, m, 4, 64<<10)
			} else {
				shop(t, m, true)
			}
			cfg := Config{Engine: atEdge(m)}
			if c.set != nil {
				c.set(&cfg, m)
			}
			switch {
			case c.asks:
				c.core = coreOver(m)
			case c.core == nil:
				c.core = noCore(t)
			}
			s := startOn(t, m, c.core, cfg)
			if c.large {
				s.server.outbound.Begin(1, false, func() {}) // the first would find room in any case
			}
			for origin, allowed := range map[string]bool{"https://shop.example": true, "https://other.example": false, "": false} {
				request := c.request
				if !strings.Contains(request, "HTTP/1.1") {
					request += " HTTP/1.1"
				}
				request = strings.TrimSuffix(request, "\r\n") + "\r\nHost: a\r\n"
				if origin != "" {
					request += "Origin: " + origin + "\r\n"
				}
				answer := s.first(t, request+"\r\n"+c.body)
				h := answer.Header
				if answer.StatusCode != c.status || h.Get("Vary") != "Origin, Accept-Encoding" || len(h["Vary"]) != 1 {
					t.Errorf("%q: %d %v", origin, answer.StatusCode, h)
				}
				if c.unknown {
					may := h.Get("Access-Control-Allow-Origin") // of all, or of the origin that asks
					if origin != "" && may != origin && may != "*" || may != "" && !strings.Contains(h.Get("Access-Control-Expose-Headers"), "svc-request-id") {
						t.Errorf("%q: %v", origin, h)
					}
					continue
				}
				if allowed != (h.Get("Access-Control-Allow-Origin") == origin && origin != "") {
					t.Errorf("%q: %v", origin, h)
				}
				if exposed := h.Get("Access-Control-Expose-Headers"); allowed != strings.Contains(exposed, "retry-after") {
					t.Errorf("%q: exposed are %s", origin, exposed)
				}
				if again := h.Get("Retry-After"); (again != "") != (c.status == 429 || c.status == 503) {
					t.Errorf("%q: again after %q", origin, again)
				}
			}
		})
	}
}

// TestBrowsersMayResolvePreviews: an edge answers the preflight whatever has become of core, and says of the rest that core is away.
func TestBrowsersMayResolvePreviews(t *testing.T) {
	t.Parallel()
	away := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	m := readtest.NewMemory()
	s := startOn(t, m, away, Config{Engine: atEdge(m)})
	for method, status := range map[string]int{"OPTIONS": 204, "GET": 503} {
		answer := s.first(t, method+" "+read.ResolvePath+"?token=x HTTP/1.1\r\nHost: a\r\nOrigin: https://anywhere.example\r\nAccess-Control-Request-Headers: authorization\r\n\r\n")
		if answer.StatusCode != status {
			t.Errorf("%s: %s", method, answer.Status)
		}
		for _, want := range read.ResolveHeaders(method) {
			if got := answer.Header.Get(want.Name); got != want.Value {
				t.Errorf("%s: %s is %q, not %q", method, want.Name, got, want.Value)
			}
		}
	}
}

// first sends a request and returns the first answer.
func (s *stand) first(t *testing.T, request string) *http.Response {
	t.Helper()
	conn := s.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
