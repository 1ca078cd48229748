package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/core/api"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// TestGetTakesNoBody: on management routes, public reads and paths that are none, whatever the body's length says; the
// connection is given up, since no one knows what the caller takes the rest for.
func TestGetTakesNoBody(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, path := range []string{"/v1/auth/whoami", "/v1/projects/site/collections/posts/entries", "/healthz", "/nowhere"} {
		for _, method := range []string{"GET", "HEAD"} {
			for kind, rest := range map[string]string{
				"a length": "Content-Length: 2\r\n\r\n{}", "chunks": "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			} {
				got := exchange(t, b.url, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s", method, path, b.owner, rest))
				if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "\r\nConnection: close\r\n") ||
					method == "GET" && !strings.Contains(got, "takes no body") {
					t.Errorf("%s %s with %s: %s", method, path, kind, got)
				}
			}
		}
	}
	got := exchange(t, b.url, "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("an empty body is none: %s", got)
	}
}

// TestLargeHeadsAreRefused: as large as on an edge. What edges add does not count against the caller.
func TestLargeHeadsAreRefused(t *testing.T) {
	t.Parallel()
	b := emptyBed(t)
	for _, c := range []struct {
		header string
		bytes  int
		status int
	}{
		{"X-Long", 15 << 10, http.StatusOK}, {"X-Long", 17 << 10, http.StatusRequestHeaderFieldsTooLarge},
		{"X-Forwarded-Host", 17 << 10, http.StatusOK},
	} {
		a := b.call("", "GET", "/healthz", "", c.header+": "+strings.Repeat("x", c.bytes)).is(c.status)
		if c.status != http.StatusOK && (a.at("code") != string(fault.ValidationFailed) || a.at("status") != "431" || a.header.Get("Content-Type") != problem.ContentType) {
			t.Errorf("%s", a.body)
		}
	}
}

// TestTargetsThatEdgesRefuseAreRefused: a client that sends the fragment of a URL along would otherwise get another answer
// from core than from an edge, and the asterisk is for OPTIONS (RFC 9112, section 3.2.4).
func TestTargetsThatEdgesRefuseAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for target, want := range map[string]string{
		"/healthz#top":                   "the target of a request must not have a fragment",
		"/healthz?#":                     "the target of a request must not have a fragment",
		"http://x/healthz#top":           "the target of a request must not have a fragment",
		"/v1/projects/site/entries?a=#b": "the target of a request must not have a fragment",
		"*":                              "the request is not well-formed HTTP",
	} {
		got := exchange(t, b.url, "GET "+target+" HTTP/1.1\r\nHost: x\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "\r\nConnection: close\r\n") ||
			!strings.Contains(got, "\r\nContent-Type: "+problem.ContentType+"\r\n") || !strings.Contains(got, `"detail":"`+want+`"`) {
			t.Errorf("%s: %s", target, got)
		}
	}
	got := exchange(t, b.url, "GET /v1/projects/site/collections/%23 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 401 ") {
		t.Errorf("an escaped one is a character: %s", got)
	}
}

func TestTheServiceAsAWholeSaysWhatItTakes(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(emptyBed(t).api)
	server.Config.DisableGeneralOptionsHandler = true // it is the API that answers, as in core
	server.Start()
	t.Cleanup(server.Close)
	got := exchange(t, server.URL, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 204 ") || !strings.Contains(got, "\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n") ||
		!strings.Contains(got, "\r\nSvc-Request-Id: ") {
		t.Error(got)
	}
}

// TestWrongMethodsNameTheRightOnes: exactly those that the path takes.
func TestWrongMethodsNameTheRightOnes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for path, want := range map[string]string{
		"/healthz": "GET, HEAD", "/readyz": "GET, HEAD", "/v1/meta": "GET, HEAD", "/v1/projects/site": "DELETE, GET, HEAD, PATCH",
		"/v1/projects/site/collections": "GET, HEAD, OPTIONS", "/v1/projects/site/collections/posts/entries": "GET, HEAD, OPTIONS, POST",
		"/v1/projects/site/collections/posts/import": "POST",
	} {
		for _, method := range []string{"PUT", "TRACE", "BREW"} {
			a := b.call(b.owner, method, path, "").refused(fault.MethodNotAllowed)
			if got := sorted(a.header.Get("Allow")); got != want {
				t.Errorf("%s %s: %s, want %s", method, path, got, want)
			}
		}
	}
}

// broken is a store that fails in one way.
type broken struct{ err error }

func (s broken) Open(context.Context, string) (read.View, error) { return nil, s.err }

// TestFailedReadsAreLoggedAsLoudAsTheyDeserve: an outage that is answered as one is a warning, a caller who left is
// nothing, and what no one expects is an error.
func TestFailedReadsAreLoggedAsLoudAsTheyDeserve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		err    error
		status int
		level  string
	}{
		{"an outage", &fault.Error{Code: fault.Unavailable, Detail: "away", Err: errors.New("the cause")}, 503, "WARN"},
		{"a defect", errors.New("the cause"), 500, "ERROR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := emptyBed(t, func(cfg *api.Config) {
				cfg.Reader = &read.Engine{Store: broken{c.err}, Keys: cfg.Reader.Keys, Now: time.Now}
			})
			a := b.call("", "GET", "/v1/projects/x/collections", "").is(c.status)
			if b.logs.find(`"level":"`+c.level+`"`, "the cause", a.header.Get("Svc-Request-Id")) == "" {
				t.Error("it was not logged")
			}
			if c.level == "WARN" && b.logs.find(`"level":"ERROR"`) != "" {
				t.Error("it was logged as an error")
			}
		})
	}
	t.Run("a caller who left", func(t *testing.T) {
		waits, registry := waiting{make(chan struct{})}, telemetry.Registry()
		b := emptyBed(t, func(cfg *api.Config) {
			cfg.Reader = &read.Engine{Store: waits, Keys: cfg.Reader.Keys, Now: time.Now}
			cfg.Requests = api.NewMetrics(registry)
		})
		b.askAndLeave("", "/v1/projects/x/collections", waits.began)
		if line := b.logs.find(`"level":"ERROR"`) + b.logs.find(`"level":"WARN"`); line != "" {
			t.Error(line)
		}
		eventually(t, "counted", func() bool {
			return strings.Contains(metricsOf(registry), `route="/v1/projects/:project/collections",status="499"} 1`)
		})
	})
}

type waiting struct{ began chan struct{} }

func (s waiting) Open(ctx context.Context, _ string) (read.View, error) {
	close(s.began)
	<-ctx.Done()
	return nil, ctx.Err()
}

func sorted(list string) string {
	names := strings.Split(list, ", ")
	slices.Sort(names)
	return strings.Join(names, ", ")
}
