package api_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/core/api"
	"svc/core/preview"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

func TestAProjectThatIsNotPublicLooksLikeNone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.call(b.owner, "PATCH", "/v1/projects/site", `{"publicApiEnabled":false,"allowedOrigins":["https://shop.example"]}`).is(200)
	b.call("", "POST", "/v1/organizations", `{}`).is(401)
	readtest.CheckHidden(t, readtest.Asked{Origin: b.url, Project: "site"}, readtest.Asked{Origin: b.url, Project: "none"})
	b.call(b.owner, "GET", "/v1/projects/site/collections/posts/entries", "").is(200)
}

// brokenStore is one of which nothing can be read but settings.
type brokenStore struct{ read.Store }

func (s brokenStore) Open(ctx context.Context, project string) (read.View, error) {
	v, err := s.Store.Open(ctx, project)
	return brokenView{v}, err
}

type brokenView struct{ read.View }

func (brokenView) Collection(string) (*read.Collection, bool) { panic("as wanted") }

// TestBrowsersCanReadEveryRefusal: an edge or core, whichever refuses a read, says who may read it and what it varies by.
func TestBrowsersCanReadEveryRefusal(t *testing.T) {
	t.Parallel()
	const list = "/v1/projects/site/collections/posts/entries"
	busy := func(context.Context) (func(), error) {
		return nil, &fault.Error{Code: fault.Unavailable, Detail: "too many lists", RetryAfter: time.Second}
	}
	b := newBed(t)
	b.call(b.owner, "PATCH", "/v1/projects/site", `{"allowedOrigins":["https://shop.example"]}`).is(200)
	for name, c := range map[string]struct {
		method, path, header string
		status               int
		set                  func(e *read.Engine)
	}{
		"a method of nothing here": {method: "DELETE", path: list, status: 405},
		"of the collections":       {method: "POST", path: "/v1/projects/site/collections", status: 405},
		"a list that has to wait":  {path: list + "?order=title", status: 503, set: func(e *read.Engine) { e.AcquireScan = busy }},
		"a panic":                  {path: list, status: 500, set: func(e *read.Engine) { e.Store = brokenStore{e.Store} }},
		"a release to come":        {path: list, header: "Svc-Min-Release: 99", status: 503},
		"a private collection":     {path: "/v1/projects/site/collections/secrets/entries", status: 401},
		"a bad parameter":          {path: list + "?limit=x", status: 400},
		"no entry":                 {path: list + "/nothing", status: 404},
		"a long head":              {path: list, header: "X: " + strings.Repeat("x", 17<<10), status: 431},
		"a body":                   {path: list, header: "Content-Length: 2", status: 400},
		"who sees the schemas":     {path: "/v1/projects/site/collections", header: "Authorization: Bearer " + b.owner, status: 200},
		"and asks in a wrong way":  {path: "/v1/projects/site/collections?x=1", header: "Authorization: Bearer " + b.owner, status: 400},
	} {
		t.Run(name, func(t *testing.T) {
			b := b.in(t)
			cfg := config(b.pool, &logs{})
			if c.set != nil {
				c.set(cfg.Reader)
			}
			server := httptest.NewServer(api.New(cfg))
			defer server.Close()
			method := c.method
			if method == "" {
				method = http.MethodGet
			}
			for origin, allowed := range map[string]bool{"https://shop.example": true, "https://other.example": false} {
				head := method + " " + c.path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: " + origin + "\r\n"
				if c.header != "" {
					head += c.header + "\r\n"
				}
				answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(exchange(t, server.URL, head+"\r\n"))), nil)
				b.ok(err)
				h := answer.Header
				if answer.StatusCode != c.status || strings.Join(h["Vary"], "; ") != "Origin, Accept-Encoding" {
					t.Errorf("%s: %d %v", origin, answer.StatusCode, h)
				}
				if allowed != (h.Get("Access-Control-Allow-Origin") == origin) || allowed != strings.Contains(h.Get("Access-Control-Expose-Headers"), "retry-after") {
					t.Errorf("%s: %v", origin, h)
				}
			}
		})
	}
}

// A core that cannot look at the project at all gives nothing of it away, and says so to everybody.
func TestBrowsersCanReadThatCoreIsBusy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	store := preview.New(b.pool, 1)
	view, err := store.Open(t.Context(), "site")
	b.ok(err)
	defer view.Close()
	cfg := config(b.pool, &logs{})
	cfg.Reader.Store = store
	server := httptest.NewServer(api.New(cfg))
	defer server.Close()
	b.url = server.URL
	h := b.call("", "GET", "/v1/projects/site/collections", "", "Origin: https://shop.example").is(503).header
	if h.Get("Access-Control-Allow-Origin") != "https://shop.example" || h.Get("Vary") != "Origin, Accept-Encoding" || h.Get("Retry-After") == "" {
		t.Error(h)
	}
}
