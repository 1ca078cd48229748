package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/bench/node"
)

// TestEdgesAndCoreRefuseAlike: whoever is asked, a wrong method names exactly those that the path takes, GET takes no body,
// heads have one limit, and the health of a node is asked for with GET and HEAD alone.
func TestEdgesAndCoreRefuseAlike(t *testing.T) {
	b := newBed(t, posts)
	b.until(func(ctx context.Context) error {
		_, err := node.Ask(ctx, b.nodes(), b.list("posts"))
		return err
	})
	project := "/v1/projects/" + b.project.Slug
	auth := "Authorization: Bearer " + b.account.Token + "\r\n"
	for _, c := range []struct {
		name, send string
		status     int
		allow      string // sorted
	}{
		{"a list", "PUT " + b.list("posts"), 405, "GET, HEAD, OPTIONS, POST"},
		{"an entry", "DELETE " + b.single("posts", "x"), 405, "GET, HEAD, OPTIONS"},
		{"collections", "POST " + project + "/collections", 405, "GET, HEAD, OPTIONS"},
		{"a singleton", "PATCH " + project + "/collections/posts/singleton", 405, "GET, HEAD, OPTIONS"},
		{"a project", "POST " + project, 405, "DELETE, GET, HEAD, PATCH"},
		{"change sets", "TRACE " + project + "/change-sets", 405, "GET, HEAD, POST"},
		{"a method nobody knows", "BREW " + b.list("posts"), 405, "GET, HEAD, OPTIONS, POST"},
		{"health", "POST /healthz", 405, "GET, HEAD"},
		{"readiness", "OPTIONS /readyz", 405, "GET, HEAD"},
		{"the service", "OPTIONS *", 204, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"},
		{"a path that is none", "BREW /nothing", 404, ""},
		{"metrics are not for everybody", "GET /metrics", 404, ""},
		{"a body of GET", "GET " + b.list("posts") + " HTTP/1.1\r\nContent-Length: 2", 400, ""},
		{"a body of GET of management", "GET " + project + "/change-sets HTTP/1.1\r\nContent-Length: 2", 400, ""},
		{"a body of HEAD", "HEAD " + project + " HTTP/1.1\r\nTransfer-Encoding: chunked", 400, ""},
		{"a head of 15 KiB", "GET " + project + "?x=" + strings.Repeat("x", 15<<10), 400, ""},
		{"a head of 17 KiB", "GET " + project + "?x=" + strings.Repeat("x", 17<<10), 431, ""},
		{"a head of 15 KiB in one header", "GET /healthz HTTP/1.1\r\nX: " + strings.Repeat("x", 15<<10), 200, ""},
		{"a head of 17 KiB in one header", "GET /healthz HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10), 431, ""},
		{"a head of 17 KiB in many headers", "GET /healthz HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 3000) + "Y: z", 431, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, send := b.on(t), c.send
			if !strings.Contains(send, " HTTP/1.1") {
				send += " HTTP/1.1"
			}
			send += "\r\nHost: a\r\n" + auth + "\r\n"
			for _, n := range part.nodes() {
				got := part.exchange(n, send)
				if len(got) == 0 {
					t.Errorf("%s: no answer", n.Name)
					continue
				}
				allow := strings.Split(got[0].Header.Get("Allow"), ", ")
				slices.Sort(allow)
				if got[0].StatusCode != c.status || strings.Join(allow, ", ") != c.allow {
					t.Errorf("%s: allow %s; want %d, %s: %s", n.Name, allow, c.status, c.allow, shown(got[0]))
				}
				if !strings.HasPrefix(send, "HEAD") { // which says nothing of why
					part.isOrdinary(fmt.Sprintf("%s on %s", c.name, n.Name), got[0])
				}
			}
		})
	}
}
