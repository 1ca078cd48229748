package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/deploy/local"
)

// TestAHangingDatabaseIsUnavailable: while PostgreSQL hangs, alive and silent, everything that needs it is refused
// with 503, the code, and when to try again, at core and through an edge; what an edge holds it answers as ever.
func TestAHangingDatabaseIsUnavailable(t *testing.T) {
	b := newPrivateBed(t, local.Config{}, posts)
	set := b.set("Posts")
	b.create(set, "posts", postNumber(1))
	release := b.publish(set)
	b.await(release, "posts", b.nodes()...)
	b.check(b.stack.Pause("postgres"))
	resume := sync.OnceFunc(func() { b.check(b.stack.Resume("postgres")) })
	defer resume()

	pin := "/v1/projects/" + b.project.Slug + "/pin"
	asked := []struct {
		name               string
		at                 node.Node
		method, path, body string
		headers            []node.Header
	}{
		{"a public list at core", b.core, http.MethodGet, b.list("posts"), "", nil},
		{"a public list at core of a release", b.core, http.MethodGet, b.list("posts"), "", []node.Header{minRelease(release)}},
		{"a pin at core", b.core, http.MethodGet, pin, "", nil},
		{"a pin through an edge", b.edge1, http.MethodGet, pin, "", nil},
		{"pinning through an edge", b.edge2, http.MethodPut, pin, `{"release":1}`, nil},
		{"pinning through an edge with a key", b.edge2, http.MethodPut, pin, `{"release":1}`, []node.Header{{Name: "Idempotency-Key", Value: "k"}}},
		{"a list of an unknown project at an edge", b.edge1, http.MethodGet, node.List("no-such-project", "posts"), "", nil},
	}
	ctx, cancel := b.patient()
	defer cancel()
	var group errgroup.Group
	for _, c := range asked {
		group.Go(func() error {
			var body io.Reader
			headers := c.headers
			if c.body != "" {
				body = strings.NewReader(c.body)
				headers = append(headers, jsonBody)
			}
			answer, err := with(b.account.Token, c.at)[0].Send(ctx, c.method, c.path, body, headers...)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return nil
			}
			problem, err := answer.Problem()
			if err != nil || answer.Status != http.StatusServiceUnavailable || problem.Code != "UNAVAILABLE" || answer.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %s; with %v, %v", c.name, answer, answer.Header, err)
			}
			return nil
		})
	}
	if answer := b.same(b.edges(), b.list("posts")); answer.Status != http.StatusOK || answer.Release != release {
		t.Errorf("not release %d: %s", release, answer)
	}
	b.check(group.Wait())
	resume()
	b.until(func(ctx context.Context) error {
		_, err := b.api.Whoami(ctx)
		return err
	})
	if answer := b.same(b.nodes(), b.list("posts")); answer.Status != http.StatusOK {
		t.Errorf("afterwards: %s", answer)
	}
}
