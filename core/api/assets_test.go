package api_test

import (
	"strings"
	"testing"

	"svc/core/api"
	"svc/shared/fault"
)

func TestAssetsAreRedirectedToWhereTheyAreDelivered(t *testing.T) {
	t.Parallel()
	b := emptyBed(t, func(c *api.Config) { c.AssetURL = "https://cdn.example.com/" })
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		a := b.call("", method, "/assets/site/ast_1/a%2Fb%20c.jpg?w=100&format=auto", "").is(307)
		if got := a.header.Get("Location"); got != "https://cdn.example.com/assets/site/ast_1/a%2Fb%20c.jpg?w=100&format=auto" || len(a.body) > 0 {
			t.Errorf("%s leads to %s", method, got)
		}
	}
	b.call("", "POST", "/assets/site/x", `{}`).refused(fault.MethodNotAllowed)
}

func TestAssetsWithoutADeliveryAreNotThere(t *testing.T) {
	t.Parallel()
	emptyBed(t).call("", "GET", "/assets/site/ast_1/a.jpg", "").refused(fault.NotFound)
}

// TestAssetsAreNotSentInCircles: an address that leads back to this server delivers nothing.
func TestAssetsAreNotSentInCircles(t *testing.T) {
	t.Parallel()
	b := emptyBed(t, func(c *api.Config) { c.AssetURL = "http://core.example:7400" })
	for host, want := range map[string]string{"core.example:7400": "404", "CORE.example:7400": "404", "core.example:7401": "307"} {
		got := exchange(t, b.url, "GET /assets/x HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 "+want) {
			t.Errorf("%s: %s", host, got)
		}
	}
}
