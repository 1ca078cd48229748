package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"svc/edge/limit"
	"svc/shared/credential"
	"svc/shared/problem"
	"svc/shared/read/readtest"
)

// asked is a request of the matrix, and what the contract ("Caching", "CORS") and the decisions on reads say of its answer.
type asked struct {
	name, method, path string // GET, below /v1/projects/
	key                string
	header             string // one more, "Name: value"

	status   int
	cache    string
	location string // Content-Location, of a pin
	release  string // svc-release
	large    bool   // it is coded
	robots   bool   // a preview
	again    bool   // Retry-After is there
	open     bool   // any origin may read that there is no such project
	set      func(cfg *Config)
}

const (
	revalidate        = "public, max-age=0, must-revalidate"
	privateRevalidate = "private, max-age=0, must-revalidate"
	immutable         = "public, max-age=31536000, immutable"
	privateImmutable  = "private, max-age=31536000, immutable"
	noStore           = "no-store"
)

func matrix() []asked {
	const posts, at = "shop/collections/posts/entries", "/v1/projects/shop/collections/posts/entries"
	const include = "?include=by,about,next"
	token := credential.Mint(credential.PreviewToken).Text()
	limited := func(cfg *Config) {
		cfg.Limiter = limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 1}, nil)
		cfg.Limiter.Allow(localhost, string(readtest.Project(1)))
	}
	return []asked{
		{name: "a public list", path: posts, status: 200, cache: revalidate, release: "2", large: true},
		{name: "a public list, with a key", path: posts, key: "reader", status: 200, cache: revalidate, release: "2", large: true},
		{name: "a public entry", path: posts + "/short", status: 200, cache: revalidate, release: "2"},
		{name: "a large public entry", path: posts + "/long", status: 200, cache: revalidate, release: "2", large: true},
		{name: "a singleton", path: "shop/collections/home/singleton", status: 200, cache: revalidate, release: "2"},
		{name: "backlinks", path: posts + "/long/references", status: 200, cache: revalidate, release: "2"},
		{name: "the collections", path: "shop/collections", status: 200, cache: revalidate, release: "2"},
		{name: "a private list", path: "shop/collections/people/entries", key: "people", status: 200, cache: privateRevalidate, release: "2"},
		{name: "a private list at a release", path: "shop/collections/people/entries?at=1", key: "people", status: 200, cache: privateImmutable, release: "1", location: "/v1/projects/shop/collections/people/entries?at=1"},
		{name: "includes, without a key", path: posts + include, status: 200, cache: revalidate, release: "2", large: true},
		{name: "includes, with a key for no private one", path: posts + include, key: "writer", status: 200, cache: revalidate, release: "2", large: true},
		{name: "includes, with a key for one", path: posts + include, key: "notes", status: 200, cache: privateRevalidate, release: "2", large: true},
		{name: "includes, with a key for all", path: posts + "/long" + include, key: "reader", status: 200, cache: privateRevalidate, release: "2", large: true},
		{name: "includes of a public collection, with a key", path: posts + "?include=next", key: "reader", status: 200, cache: revalidate, release: "2", large: true},
		{name: "includes at a release, without a key", path: posts + include + "&at=1", status: 200, cache: immutable, release: "1", large: true, location: at + include + "&at=1"},
		{name: "includes at a release, with a key", path: posts + include + "&at=1", key: "people", status: 200, cache: privateImmutable, release: "1", large: true, location: at + include + "&at=1"},
		{name: "at a number", path: posts + "?at=1", status: 200, cache: immutable, release: "1", large: true, location: at + "?at=1"},
		{name: "at the number of the newest release", path: posts + "/short?at=2", status: 200, cache: immutable, release: "2", location: at + "/short?at=2"},
		{name: "at release-1", path: posts + "?at=release-1", status: 200, cache: immutable, release: "1", large: true, location: at + "?at=1"},
		{name: "at a past time", path: posts + "?at=2024-03-01T23:00:00Z&limit=7", status: 200, cache: immutable, release: "1", large: true, location: at + "?at=1&limit=7"},
		{name: "at a past time that is not settled", path: posts + "?at=2024-03-30", status: 200, cache: revalidate, release: "2", large: true, location: at + "?at=2"},
		{name: "at a future time", path: posts + "?at=2999-01-01", status: 200, cache: revalidate, release: "2", large: true, location: at + "?at=2"},
		{name: "before the first release", path: posts + "?at=2024-01-01", status: 200, cache: immutable, release: "0"},
		{name: "a pinned project", path: "pinned/collections/posts/entries", status: 200, cache: revalidate, release: "1", large: true},
		{name: "a pinned project at a release", path: "pinned/collections/posts/entries/short?at=2", status: 200, cache: immutable, release: "2", location: "/v1/projects/pinned/collections/posts/entries/short?at=2"},
		{name: "a closed project, with a key", path: "closed/collections/posts/entries/short", key: "writer", status: 200, cache: privateRevalidate, release: "2"},
		{name: "a preview token in the query", path: posts + "?preview=" + token, status: 401, cache: noStore, robots: true},
		{name: "a preview token at a release", path: posts + "?token=" + token + "&at=1", status: 400, cache: noStore, robots: true},
		{name: "a preview token as a bearer", path: posts, header: "Authorization: Bearer " + token, status: 401, cache: noStore, robots: true},
		{name: "a bad parameter", path: posts + "?limit=x", status: 400, cache: noStore, release: "2"},
		{name: "a release to come", path: posts + "?at=99", status: 400, cache: noStore, release: "2"},
		{name: "no release", path: posts + "?at=0", status: 400, cache: noStore, release: "2"},
		{name: "a bad header", path: posts, header: "Svc-Min-Release: x", status: 400, cache: noStore, release: "2"},
		{name: "a private list without a key", path: "shop/collections/people/entries", status: 401, cache: noStore},
		{name: "a private list with a key that cannot read", path: "shop/collections/people/entries", key: "writer", status: 401, cache: noStore},
		{name: "a key that is none", path: posts, header: "Authorization: Bearer x", status: 401, cache: noStore},
		{name: "a key for other collections", path: "shop/collections/people/entries", key: "notes", status: 403, cache: noStore},
		{name: "no entry", path: posts + "/nothing?at=1", status: 404, cache: noStore, release: "1"},
		{name: "no collection", path: "shop/collections/nothing/entries", status: 404, cache: noStore},
		{name: "no project", path: "nowhere/collections/posts/entries", status: 404, cache: noStore, open: true},
		{name: "a closed project", path: "closed/collections/posts/entries", status: 404, cache: noStore, open: true},
		{name: "a method", method: "DELETE", path: posts + "/long", status: 405, cache: noStore},
		{name: "too many reads", path: posts, status: 429, cache: noStore, again: true, set: limited},
		{name: "too many reads, with a preview token", path: posts + "?token=" + token, status: 429, cache: noStore, again: true, robots: true, set: limited},
		{name: "a preview token that is none", path: posts, header: "Authorization: Bearer svc_prv_x", status: 401, cache: noStore, robots: true},
		{name: "a release that no one has", path: posts, header: "Svc-Min-Release: 99", status: 503, cache: noStore, release: "2", again: true},
		{name: "an entry that the reader has", path: posts + "/short", header: "If-None-Match: *", status: 304, cache: revalidate, release: "2"},
		{name: "a pinned entry that the reader has", path: posts + "/short?at=2", header: "If-None-Match: *", status: 304, cache: immutable, release: "2", location: at + "/short?at=2"},
		{name: "a preflight", method: "OPTIONS", path: posts, status: 204},
		{name: "a preflight of a private collection", method: "OPTIONS", path: "shop/collections/people/entries", status: 204},
		{name: "a preflight of no project", method: "OPTIONS", path: "nowhere/collections", status: 204, open: true},
	}
}

// TestHeadersOfEveryAnswer: for every kind of answer, from every kind of origin and with every coding, the headers that caches and
// browsers go by are what is written for it.
func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	codings := map[string]string{"": "", "identity": "", "*;q=0": "", "gzip": "gzip", "br;q=0.5, gzip;q=0.4": "br", "gzip, deflate, br, zstd": "zstd"}
	for _, a := range matrix() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			m := readtest.NewMemory()
			secrets := putMatrix(t, m)
			cfg := Config{Engine: atEdge(m)}
			if a.set != nil {
				a.set(&cfg)
			}
			site := readtest.HTTPSite(m, startOn(t, m, coreOver(m), cfg).origin)
			if a.method == "" {
				a.method = http.MethodGet
			}
			for origin, mayRead := range map[string]bool{"": false, "https://shop.example": true, "https://other.example": a.open, "null": false} {
				for accept, coding := range codings {
					if !a.large {
						coding = ""
					}
					got := a.ask(t, site, secrets, a.method, origin, accept)
					a.check(t, got, origin, mayRead, coding)
					if a.method == http.MethodGet {
						head := a.ask(t, site, secrets, http.MethodHead, origin, accept)
						a.check(t, head, origin, mayRead, coding)
						if len(head.Body) > 0 || head.Headers["etag"] != got.Headers["etag"] || a.status == 200 && head.Headers["content-length"] != strconv.Itoa(len(got.Body)) {
							t.Errorf("HEAD answers %v where GET has %d bytes and %v", head.Headers, len(got.Body), got.Headers)
						}
					}
				}
			}
		})
	}
}

func (a asked) ask(t *testing.T, site readtest.Site, secrets map[string]string, method, origin, accept string) readtest.Answer {
	t.Helper()
	call := readtest.Call{Method: method, Target: "/v1/projects/" + a.path}
	for name, value := range map[string]string{"Origin": origin, "Accept-Encoding": accept} {
		if value != "" {
			call.Headers = append(call.Headers, problem.Header{Name: name, Value: value})
		}
	}
	if a.key != "" {
		call.Headers = append(call.Headers, problem.Header{Name: "Authorization", Value: "Bearer " + secrets[a.key]})
	}
	if name, value, ok := strings.Cut(a.header, ": "); ok {
		call.Headers = append(call.Headers, problem.Header{Name: name, Value: value})
	}
	answer, err := site.Do(context.WithoutCancel(t.Context()), call)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// check compares an answer with what is written, header by header; "" stands for no such header.
func (a asked) check(t *testing.T, got readtest.Answer, origin string, mayRead bool, coding string) {
	t.Helper()
	want := map[string]string{
		"cache-control": a.cache, "content-location": a.location, "svc-release": a.release, "vary": "Origin, Accept-Encoding",
		"content-encoding": coding, "access-control-allow-origin": "", "access-control-expose-headers": "", "access-control-allow-methods": "",
		"access-control-allow-headers": "", "access-control-allow-credentials": "", "x-robots-tag": "", "pragma": "", "expires": "", "age": "",
	}
	if mayRead {
		want["access-control-allow-origin"] = origin
		if a.status == 204 {
			want["access-control-allow-methods"] = "GET, HEAD, OPTIONS"
			want["access-control-allow-headers"] = "authorization, if-none-match, svc-min-release"
		} else {
			want["access-control-expose-headers"] = "etag, svc-release, svc-request-id, ratelimit, retry-after"
		}
	}
	if a.robots {
		want["x-robots-tag"] = "noindex, nofollow"
	}
	if got.Status != a.status {
		t.Errorf("from %q it answers %d %s", origin, got.Status, got.Body)
	}
	for name, value := range want {
		if got.Headers[name] != value {
			t.Errorf("from %q, coded %q: %s is %q, not %q", origin, coding, name, got.Headers[name], value)
		}
	}
	tag := got.Headers["etag"]
	suffix := `"`
	if coding != "" {
		suffix = "-" + coding + `"`
	}
	hasTag := a.status == 200 || a.status == 304
	if hasTag != (tag != "") || hasTag && (len(tag) != len(`""`)+32+len(strings.TrimSuffix("-"+coding, "-")) || !strings.HasSuffix(tag, suffix)) {
		t.Errorf("coded %q: the tag is %s", coding, tag)
	}
	if again := got.Headers["retry-after"]; a.again != (again != "") {
		t.Errorf("Retry-After is %q", again)
	}
	if got.Headers["svc-request-id"] == "" {
		t.Error("the answer has no request id")
	}
}
