package e2e

import (
	"fmt"
	"testing"

	"svc/deploy/local"
)

// TestACutOffEdgeCatchesUp: an edge whose lines hang serves what it has; once they carry again it has what it missed, and
// both cores and all edges agree.
func TestACutOffEdgeCatchesUp(t *testing.T) {
	b := newPrivateBed(t, local.Config{Cores: 2, Links: true}, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	b.check(b.stack.CutOff("edge-2"))
	for n := range uint64(5) {
		if release := b.write(id, map[string]string{"body": fmt.Sprint(n)}); release != n+2 {
			t.Fatalf("release %d instead of %d", release, n+2)
		}
	}
	b.await(6, "posts", b.core, b.edge1, b.node("core-2"))
	if answer := b.same(b.edges()[1:], b.list("posts")); answer.Release != 1 {
		t.Errorf("an edge that is cut off serves release %d", answer.Release)
	}
	b.check(b.stack.Rejoin("edge-2"))
	b.agree([]string{"posts"}, b.edges()...)
}
