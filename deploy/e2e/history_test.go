package e2e

import (
	"testing"

	"svc/bench/docs"
)

// TestAHistoryReadsBackAtEveryRelease replays a piece of a real site's history and compares every node with the source, at
// each third release and at the head, in all locales.
func TestAHistoryReadsBackAtEveryRelease(t *testing.T) {
	h, err := docs.Load("testdata/docs")
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t)
	head := b.replay(h)
	check := &docs.Check{History: h, Project: b.project.Slug, Nodes: b.nodes()}
	locales := h.Locales()
	if len(locales) != 14 {
		t.Errorf("the sample has the locales %v", locales)
	}
	var pins []uint64
	for pin := uint64(1); pin <= head; pin += 3 {
		pins = append(pins, pin)
	}
	sites := h.At(append(pins, head))
	for i, pin := range pins {
		b.check(check.At(t.Context(), sites[pin], pin))
		b.check(check.Locale(t.Context(), sites[pin], pin, locales[i%len(locales)]))
	}
	b.check(check.At(t.Context(), sites[head], 0))
	for _, locale := range locales {
		b.check(check.Locale(t.Context(), sites[head], 0, locale))
	}
	b.agree([]string{docs.Collection}, b.edges()...)
}

// replay publishes a whole history and returns its newest release, once all nodes serve it.
func (b *bed) replay(h *docs.History) uint64 {
	b.t.Helper()
	replay, err := docs.Start(b.t.Context(), b.api, b.project.Slug, h)
	b.check(err)
	head := uint64(0)
	for more := true; more; {
		head, more, err = replay.Next(b.t.Context())
		b.check(err)
	}
	if want := uint64(len(h.Edits)) + 1; head != want {
		b.t.Fatalf("the newest release is %d, not %d", head, want)
	}
	b.await(head, docs.Collection, b.nodes()...)
	return head
}
