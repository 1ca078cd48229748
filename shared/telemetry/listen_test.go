package telemetry

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/shared/wiretest"
)

// TestMetricsHaveAListenerOfTheirOwn: it answers GET /metrics and nothing else, and stops when it is told to.
func TestMetricsHaveAListenerOfTheirOwn(t *testing.T) {
	l, err := AdminListener(t.Context(), "SVC_X_ADMIN_LISTEN", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ServeMetrics(ctx, l, Registry()) }()
	base := "http://" + l.Addr().String()
	for _, c := range []struct {
		method, path string
		status       int
		allow, holds string
	}{
		{http.MethodGet, "/metrics", http.StatusOK, "", "\ngo_goroutines "},
		{http.MethodHead, "/metrics", http.StatusOK, "", ""},
		{http.MethodPost, "/metrics", http.StatusMethodNotAllowed, "GET, HEAD", ""},
		{http.MethodGet, "/", http.StatusNotFound, "", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := wiretest.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || answer.Header.Get("Allow") != c.allow || !strings.Contains(string(body), c.holds) {
			t.Errorf("%s %s: %d %v %.100s %v", c.method, c.path, answer.StatusCode, answer.Header, body, err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAnAdminAddressIsCheckedAndMayBeEmpty(t *testing.T) {
	for _, c := range []struct {
		address string
		good    bool
	}{{"", true}, {"127.0.0.1:9000", true}, {"127.0.0.1:0", true}, {"nowhere", false}, {"127.0.0.1:7400", false}} {
		if err := CheckAdminListen("SVC_X_ADMIN_LISTEN", c.address, "127.0.0.1:7400"); (err == nil) != c.good {
			t.Errorf("%q: %v", c.address, err)
		}
	}
	if l, err := AdminListener(t.Context(), "SVC_X_ADMIN_LISTEN", ""); l != nil || err != nil {
		t.Errorf("an empty address opens %v, %v", l, err)
	}
}
