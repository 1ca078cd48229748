package core_test

import (
	"testing"

	"svc/core/project"
	"svc/replication/follow/followtest"
	"svc/replication/snapshot"
)

// Edges hold what core holds of a pin, by changes and by snapshot.
func TestAPinReachesEdges(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	address, _ := b.core()
	store, _ := b.edge(address)
	b.release("one")
	b.release("two")
	_, err := project.Pin(t.Context(), b.Pool, b.Actor, b.ID, 1, "two is broken")
	b.OK(err)
	b.level(store)
	b.release("three")
	b.level(store)
	w := &snapshot.Writer{Source: b.source, Blobs: b.blobs, Dir: t.TempDir()}
	_, err = w.Write(t.Context(), string(b.ID))
	b.OK(err)
	late, _ := b.edge(address)
	b.level(late)
	for _, s := range []*followtest.Store{store, late} {
		if c, err := s.Content(t.Context(), string(b.ID)); err != nil || c.Pinned != 1 || c.Newest.Number != 3 {
			t.Errorf("%+v, %v", c, err)
		}
	}
	_, err = project.Unpin(t.Context(), b.Pool, b.Actor, b.ID)
	b.OK(err)
	b.level(store)
	if c, err := store.Content(t.Context(), string(b.ID)); err != nil || c.Pinned != 0 {
		t.Errorf("unpinned: %+v, %v", c, err)
	}
}
