package api_test

import (
	"testing"

	"svc/core/api"
	"svc/shared/fault"
)

func TestAssetsAreRedirectedToWhereTheyAreDelivered(t *testing.T) {
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
	b := emptyBed(t)
	b.call("", "GET", "/assets/site/ast_1/a.jpg", "").refused(fault.NotFound)
	self := emptyBed(t, func(c *api.Config) { c.AssetURL = "http://127.0.0.1" })
	self.call("", "GET", "/assets/x", "", "Host: 127.0.0.1").is(307) // another port is another place
}
