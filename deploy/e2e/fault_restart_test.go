package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"svc/bench/node"
	"svc/deploy/local"
)

// TestPublishingGoesOnWhenPartsFail: whichever part is killed between two releases, edges serve what they hold meanwhile,
// and everything that was published once it is back.
func TestPublishingGoesOnWhenPartsFail(t *testing.T) {
	for _, part := range []string{"edge-2", string(local.Redis), string(local.NATS), "core"} {
		t.Run(part, func(t *testing.T) {
			b := newFaultBed(t, posts)
			set := b.set("Posts")
			id := b.create(set, "posts", postNumber(1))
			for n := range 30 {
				b.create(set, "posts", postNumber(n+2))
			}
			b.publish(set)
			b.await(1, "posts", b.nodes()...)
			b.check(b.stack.KillPart(part))
			b.meanwhile(part, id)
			b.check(b.stack.StartPart(t.Context(), part))
			release := b.write(id, map[string]string{"body": "after " + part + " came back"})
			b.await(release, "posts", b.nodes()...)
			b.agree([]string{"posts"}, b.edges()...)
		})
	}
}

// meanwhile publishes what can be published without a part, and reads what edges that are up hold.
func (b *bed) meanwhile(part, id string) {
	b.t.Helper()
	var up []node.Node
	for _, edge := range b.edges() {
		if edge.Name != part {
			up = append(up, edge)
		}
	}
	answer := b.same(up, b.single("posts", id))
	if answer.Status != http.StatusOK {
		b.t.Fatalf("without %s: %s", part, answer)
	}
	if part == "core" {
		b.refused(up, "/v1/auth/whoami", http.StatusServiceUnavailable, "UNAVAILABLE")
		return
	}
	for n := range 5 {
		b.write(id, map[string]string{"body": fmt.Sprintf("edit %d without %s", n, part)})
	}
	if part != string(local.NATS) {
		b.await(6, "posts", up...)
	}
}

// TestNothingIsLostWhenEverythingStops: all parts go down and come back with what they had.
func TestNothingIsLostWhenEverythingStops(t *testing.T) {
	b := newFaultBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.write(id, map[string]string{"body": "two"})
	b.await(2, "posts", b.nodes()...)
	before := b.same(b.edges(), b.list("posts"))
	parts := []string{"postgres", "nats", "redis", "s3", "core", "edge-1", "edge-2"}
	for i := len(parts) - 1; i >= 0; i-- {
		b.check(b.stack.KillPart(parts[i]))
	}
	for _, part := range parts {
		b.check(b.stack.StartPart(t.Context(), part))
	}
	b.await(2, "posts", b.nodes()...)
	after := b.same(b.nodes(), b.list("posts"))
	b.check(node.Same([]node.Answer{before, after}))
	b.agree([]string{"posts"}, b.edges()...)
}
