package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"svc/core/api"
	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

func TestEveryAnswerHasARequestID(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, path := range []string{"/v1/auth/whoami", "/v1/nowhere", "/healthz", "/v1/meta", "/assets/x", "/internal/v1/logs",
		"/v1/projects/site/collections", "/v1/projects/site/collections/posts/entries", "/v1/projects/none/collections"} {
		a := b.call(b.owner, "GET", path, "", "traceparent: 00-"+trace+"-00f067aa0ba902b7-01")
		if got := a.header.Values("Svc-Request-Id"); len(got) != 1 || got[0] != trace {
			t.Errorf("%s: %q", path, got)
		}
		one, two := b.call(b.owner, "GET", path, ""), b.call(b.owner, "GET", path, "")
		if id := one.header.Get("Svc-Request-Id"); len(id) != 32 || id == two.header.Get("Svc-Request-Id") {
			t.Errorf("%s: %q is no id of its own", path, id)
		}
		if one.status >= 400 && one.at("requestId") != "" && one.at("requestId") != one.header.Get("Svc-Request-Id") {
			t.Errorf("%s: the body has another id", path)
		}
	}
}

func TestRequestsAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a := b.call(b.owner, "GET", "/v1/projects/site/entries?cursor=svc_prv_token", "")
	var line string
	eventually(t, "logged", func() bool {
		line = b.logs.find(`"msg":"request"`, a.header.Get("Svc-Request-Id"))
		return line != ""
	})
	for _, want := range []string{`"level":"DEBUG"`, `"method":"GET"`, `"path":"/v1/projects/site/entries"`, `"route":"/v1/projects/:project/entries"`, `"status":400`, `"duration":`} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
	if b.logs.find("svc_prv_token") != "" || b.logs.find("svc_sk_") != "" {
		t.Error("a secret was logged")
	}
}

func TestRequestsAreCountedByRoute(t *testing.T) {
	t.Parallel()
	registry := telemetry.Registry()
	b := newBed(t, func(c *api.Config) {
		c.Requests = api.NewMetrics(registry)
	})
	b.call(b.owner, "GET", "/v1/projects/site", "").is(200)
	b.call(b.owner, "GET", "/v1/projects/none", "").is(404)
	b.call(b.owner, "FIND", "/v1/nowhere", "").is(404)
	want := []string{
		`svc_http_request_seconds_count{method="GET",route="/v1/projects/:project",status="200"} 1`,
		`svc_http_request_seconds_count{method="GET",route="/v1/projects/:project",status="404"} 1`,
		`svc_http_request_seconds_count{method="none",route="none",status="404"} 1`,
	}
	got := metricsOf(registry)
	b.call("", "GET", "/metrics", "").is(404) // that is no place for everybody
	for _, line := range want {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%s is not there", line)
		}
	}
}

// metricsOf is what /metrics shows of a registry.
func metricsOf(r *prometheus.Registry) string {
	page := httptest.NewRecorder()
	telemetry.Handler(r).ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	return page.Body.String()
}

func TestPanicsAreAnsweredAndLogged(t *testing.T) {
	t.Parallel()
	broken := atomic.Bool{}
	b := emptyBed(t, func(c *api.Config) {
		c.Fleet = func(context.Context) ([]wire.Edge, error) {
			if broken.Load() {
				panic("the fleet is lost")
			}
			return nil, nil
		}
	})
	broken.Store(true)
	a := b.call(b.owner, "GET", "/v1/edges", "").refused(fault.Internal)
	if strings.Contains(string(a.body), "lost") {
		t.Error("callers are not told causes")
	}
	if line := b.logs.find(a.header.Get("Svc-Request-Id"), "the fleet is lost", "observe_test.go"); line == "" {
		t.Error("the cause is logged with its stack")
	}
	broken.Store(false)
	b.call(b.owner, "GET", "/v1/edges", "").is(200)
}

func TestFailuresAreLoggedOnceAndNotShown(t *testing.T) {
	t.Parallel()
	b := emptyBed(t, func(c *api.Config) {
		c.Fleet = func(context.Context) ([]wire.Edge, error) { return nil, errors.New("password=hunter2") }
	})
	a := b.call(b.owner, "GET", "/v1/edges", "").refused(fault.Internal)
	if strings.Contains(string(a.body), "hunter2") || b.logs.find("hunter2", a.header.Get("Svc-Request-Id"), `"level":"ERROR"`) == "" {
		t.Errorf("%s", a.body)
	}
}

// TestCallersWhoLeaveAreNoFailure: a request that its caller gave up is not an error of the service.
func TestCallersWhoLeaveAreNoFailure(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	b := emptyBed(t, func(c *api.Config) {
		c.Fleet = func(ctx context.Context) ([]wire.Edge, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	b.askAndLeave(b.owner, "/v1/edges", began)
	if line := b.logs.find(`"level":"ERROR"`); line != "" {
		t.Error(line)
	}
}

// askAndLeave asks, and goes away once the answer has begun to be made; it returns when that was noticed.
func (b *bed) askAndLeave(key, path string, began <-chan struct{}) {
	b.Helper()
	ctx, leave := context.WithCancel(b.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "GET", b.url+path, nil)
	b.ok(err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	done := make(chan error, 1)
	go func() {
		response, err := client.Do(r)
		if err == nil {
			response.Body.Close()
		}
		done <- err
	}()
	<-began
	leave()
	if err := <-done; !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	eventually(b, "noticed", func() bool { return b.logs.find("a caller went away") != "" })
}

func TestReadinessTellsItsReasons(t *testing.T) {
	t.Parallel()
	reasons := atomic.Pointer[[]string]{}
	reasons.Store(&[]string{})
	b := emptyBed(t, func(c *api.Config) { c.Ready = func() []string { return *reasons.Load() } })
	if a := b.call("", "GET", "/readyz", "").is(200); string(a.body) != `{"status":"ready"}` {
		t.Errorf("%s", a.body)
	}
	reasons.Store(&[]string{"the database does not answer"})
	if a := b.call("", "GET", "/readyz", "").is(503); string(a.body) != `{"status":"unready","reasons":["the database does not answer"]}` {
		t.Errorf("%s", a.body)
	}
	if a := b.call("", "GET", "/healthz", "").is(200); string(a.body) != `{"status":"ok"}` {
		t.Errorf("%s", a.body)
	}
}
