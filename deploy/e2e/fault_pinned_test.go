package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/bench/node"
)

// TestAPinHoldsTheWholeFleetAtARelease: from the answer to the pin on, every node answers the pinned release to reads that
// name none, whatever is published meanwhile, whatever restarts or starts from nothing, and also without core; from the
// answer to its removal on they answer the newest.
func TestAPinHoldsTheWholeFleetAtARelease(t *testing.T) {
	b := newFaultBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", post{Title: "Post", Slug: "one", Body: "body 1"})
	b.publish(set)
	b.write(id, post{Title: "Post", Slug: "two", Body: "body 2"})
	b.write(id, post{Title: "Post", Slug: "three", Body: "body 3"})

	b.pin(2)
	b.pinnedTo(2, id)
	release := b.write(id, post{Title: "Post", Slug: "four", Body: "body 4"})
	b.agree([]string{"posts"}, b.edges()...)
	b.pinnedTo(2, id)
	// A release of one's own is answered as ever, and what a reader has seen does not turn it away.
	if answer := b.same(b.nodes(), b.single("posts", "four")+"?at=4"); answer.Release != release || !strings.Contains(string(answer.Body), "body 4") {
		t.Errorf("at 4: release %d, %s", answer.Release, answer.Body)
	}
	if answer := b.same(b.nodes(), b.list("posts"), minRelease(release)); answer.Status != http.StatusOK || answer.Release != 2 {
		t.Errorf("svc-min-release %d: %s", release, answer)
	}

	b.without("core", func() {
		b.restart("edge-2")
		b.pinnedTo(2, id, b.edges()...)
	})
	b.fromNothing("edge-2")
	b.pinnedTo(2, id)

	b.pin(1)
	b.pinnedTo(1, id)
	everywhere, err := b.api.Unpin(t.Context(), b.project.Slug, 30*time.Second)
	b.check(err)
	if !everywhere {
		t.Fatal("some edge did not report in time that the pin is gone")
	}
	b.pinnedTo(4, id)
	b.agree([]string{"posts"}, b.edges()...)
}

// pin pins the project, and waits until every edge has that.
func (b *bed) pin(release uint64) {
	b.t.Helper()
	_, everywhere, err := b.api.PinRelease(b.t.Context(), b.project.Slug, release, b.t.Name(), 30*time.Second)
	b.check(err)
	if !everywhere {
		b.t.Fatalf("some edge did not report the pin to release %d in time", release)
	}
	fleet, err := b.api.Edges(b.t.Context())
	b.check(err)
	told := 0
	for _, edge := range fleet {
		for _, l := range edge.Logs {
			if l.Log == string(b.project.ID) && l.Pinned != nil && *l.Pinned == release {
				told++
			}
		}
	}
	if told != len(b.edges()) {
		b.t.Fatalf("%d edges show the pin to release %d: %+v", told, release, fleet)
	}
}

// pinnedTo checks that nodes, all of them where none is named, answer one of the releases of the test above as their head:
// its body, its slug, its number, and an answer to be asked for again.
func (b *bed) pinnedTo(release uint64, id string, nodes ...node.Node) {
	b.t.Helper()
	if len(nodes) == 0 {
		nodes = b.nodes()
	}
	slugs := []string{"one", "two", "three", "four"}
	for i, slug := range slugs {
		n := uint64(i + 1)
		if n != release {
			b.refused(nodes, b.single("posts", slug), http.StatusNotFound, "NOT_FOUND")
			continue
		}
		for _, path := range []string{b.single("posts", slug), b.single("posts", id), b.list("posts")} {
			answer := b.same(nodes, path)
			if answer.Status != http.StatusOK || answer.Release != release || !strings.Contains(string(answer.Body), "body "+string(rune('0'+n))) {
				b.t.Fatalf("%s answers %d, release %d, not %d: %s", path, answer.Status, answer.Release, release, answer.Body)
			}
			if got := answer.Header.Get("Cache-Control"); got != "public, max-age=0, must-revalidate" {
				b.t.Fatalf("%s may be kept: %q", path, got)
			}
		}
	}
}
