package e2e

import (
	"net/http"
	"testing"
	"time"

	"svc/bench/node"
	"svc/core/wire"
	"svc/shared/credential"
)

// memo publishes an entry of a private collection.
func (b *bed) memo() {
	b.t.Helper()
	set := b.set("Memo")
	b.create(set, "memos", map[string]string{"title": "Not for everyone"})
	b.publish(set)
	reader := b.mint("content:read")
	b.await(1, "memos", with(reader.Secret, b.nodes()...)...)
}

// TestPrivateCollectionsNeedAKey: none is 401, one without the scope too; a good one reads the same on every node, for no
// shared cache.
func TestPrivateCollectionsNeedAKey(t *testing.T) {
	b := newBed(t, posts, memos)
	b.memo()
	path := b.single("memos", "not-for-everyone")
	b.refused(b.nodes(), path, http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.refused(with(b.mint("assets:read").Secret, b.nodes()...), path, http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	answer := b.same(with(b.mint("content:read").Secret, b.nodes()...), path)
	if e, err := answer.Entry(); err != nil || e.Collection != "memos" {
		t.Errorf("with a key: %s, %v", answer.Body, err)
	}
	if got := answer.Header.Get("Cache-Control"); got != "private, max-age=0, must-revalidate" {
		t.Errorf("cached as %q", got)
	}
	confined, err := b.api.MintProjectKey(t.Context(), b.project.Slug,
		wire.NewKey{Label: "posts alone", Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"posts"}})
	b.check(err)
	b.refused(with(confined.Secret, b.nodes()...), path, http.StatusForbidden, "FORBIDDEN")
	b.same(with(confined.Secret, b.nodes()...), b.list("posts"))
}

// TestAKeyWorksTheMomentItIsMade: an edge that has not heard of it asks core.
func TestAKeyWorksTheMomentItIsMade(t *testing.T) {
	b := newBed(t, memos)
	b.memo()
	for range 10 {
		key := b.mint("content:read")
		for _, n := range with(key.Secret, b.nodes()...) {
			answer, err := n.Get(t.Context(), b.list("memos"))
			b.check(err)
			if answer.Status != http.StatusOK {
				t.Fatalf("%s answers %d to a new key: %s", n.Name, answer.Status, answer.Body)
			}
		}
	}
}

// TestARevokedKeyIsRefusedAtOnce: on core with the answer to the revocation, on edges as soon as a release would show. It is
// bad on public collections too.
func TestARevokedKeyIsRefusedAtOnce(t *testing.T) {
	b := newBed(t, posts, memos)
	b.memo()
	key := b.mint("content:read")
	nodes := with(key.Secret, b.nodes()...)
	b.same(nodes, b.list("memos"))
	b.check(b.api.RevokeProjectKey(t.Context(), b.project.Slug, string(key.Key.ID)))
	b.refused(nodes[2:], b.list("memos"), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.refusedSoon(nodes, b.list("memos"))
	b.refused(nodes, b.list("posts"), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
}

func (b *bed) refusedSoon(nodes []node.Node, path string) {
	b.t.Helper()
	b.answered(nodes, path, http.StatusUnauthorized)
}

// TestAnExpiredKeyIsRefused: no one tells an edge, it looks at the time itself, which is the same for all here. On a slow machine a
// key lives longer.
func TestAnExpiredKeyIsRefused(t *testing.T) {
	b := newBed(t, memos)
	b.memo()
	var nodes []node.Node
	var soon time.Time
	for life := 4 * time.Second; ; life *= 2 {
		soon = time.Now().Add(life).Truncate(time.Millisecond) // as core keeps it
		key, err := b.api.MintProjectKey(t.Context(), b.project.Slug,
			wire.NewKey{Label: "short", Scopes: []credential.Scope{credential.ContentRead}, ExpiresAt: &soon})
		if err == nil {
			nodes = with(key.Secret, b.nodes()...)
			err = allAnswer(t.Context(), nodes, b.list("memos"), http.StatusOK)
		}
		if err == nil {
			break
		}
		if time.Now().Before(soon) {
			t.Fatal(err)
		}
		t.Logf("a key that lives %s was too old when it had been asked with: %v", life, err)
	}
	b.refusedSoon(nodes, b.list("memos"))
	if time.Now().Before(soon) {
		t.Error("it was refused before it expired")
	}
}
