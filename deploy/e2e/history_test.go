package e2e

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/docs"
	"svc/core/wire"
	"svc/deploy/local/localtest"
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
	b.readsAs(h, head, 3)
}

// readsAs compares every node with the source, at each release that is so many after the one before, and at the head.
func (b *bed) readsAs(h *docs.History, head, step uint64) {
	b.t.Helper()
	check := &docs.Check{History: h, Project: b.project.Slug, Nodes: b.nodes()}
	locales := h.Locales()
	if len(locales) != 14 {
		b.t.Errorf("the site has the locales %v", locales)
	}
	var pins []uint64
	for pin := uint64(1); pin <= head; pin += step {
		pins = append(pins, pin)
	}
	sites := h.At(append(pins, head))
	for i, pin := range pins {
		b.check(check.At(b.t.Context(), sites[pin], pin))
		b.check(check.Locale(b.t.Context(), sites[pin], pin, locales[i%len(locales)]))
	}
	b.check(check.At(b.t.Context(), sites[head], 0))
	for _, locale := range locales {
		b.check(check.Locale(b.t.Context(), sites[head], 0, locale))
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

// TestAuthorsAtTheSameTimeKeepTheHistory: five authors stage a real site's edits at the same time, publish them in order, and rebase
// with their own side where others were first. Every release reads as the source: no edit is lost. The soak replays the whole history
// where it is there.
func TestAuthorsAtTheSameTimeKeepTheHistory(t *testing.T) {
	h, step := authoredHistory(t)
	b := newBed(t)
	replay, err := docs.Start(t.Context(), b.api, b.project.Slug, h)
	b.check(err)
	authors := &docs.Authors{Replay: replay, Count: 5}
	compared, head := 0, uint64(1)
	for {
		sets, err := authors.Next(t.Context())
		b.check(err)
		if len(sets) == 0 {
			break
		}
		for _, set := range sets {
			if head++; head%50 == 0 { // the whole history is more than edges take in at once
				b.await(head, docs.Collection, b.nodes()...)
			}
			compared += b.segments(set)
		}
	}
	t.Logf("%d edits: %d items were rebased, %d values had changed on both sides, %d texts were compared by word", len(h.Edits), authors.Rebased, authors.Conflicts, compared)
	if authors.Rebased == 0 || authors.Conflicts == 0 || compared == 0 {
		t.Error("nothing was put to the test")
	}
	if want := uint64(len(h.Edits)) + 1; head != want {
		t.Fatalf("the newest release is %d, not %d", head, want)
	}
	b.await(head, docs.Collection, b.nodes()...)
	b.readsAs(h, head, step)
}

// authoredHistory is the sample, or in the soak the whole history, and at which of its releases to look.
func authoredHistory(t *testing.T) (*docs.History, uint64) {
	t.Helper()
	dir, step := "testdata/docs", uint64(5)
	if whole := os.Getenv("SVC_BENCH_DATA"); whole != "" && localtest.Size(0, 1) > 0 {
		dir, step = whole, 100
	}
	h, err := docs.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h, step
}

// segments checks the words of a diff: those of one side make what was before, those of the other what is there now. It returns how
// many texts have them.
func (b *bed) segments(set string) (texts int) {
	b.t.Helper()
	items, _, err := b.api.RecentDiff(b.t.Context(), b.project.Slug, set, 0)
	b.check(err)
	for _, i := range items {
		for _, c := range i.Changes {
			if len(c.Segments) == 0 {
				continue
			}
			texts++
			before, after := sidesOf(c.Segments)
			if before != text(c.Before) || after != text(c.After) {
				b.t.Errorf("%s of %s: the segments make\n%s\nand\n%s\nof\n%s\nand\n%s", c.Path, i.ResourceID, before, after, c.Before, c.After)
			}
		}
	}
	return texts
}

func sidesOf(segments []wire.Segment) (before, after string) {
	for _, s := range segments {
		if s.Op != "insert" {
			before += s.Value
		}
		if s.Op != "delete" {
			after += s.Value
		}
	}
	return before, after
}

// text is that of a JSON string; null has none.
func text(raw jsontext.Value) string {
	if raw.Kind() != '"' {
		return ""
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		panic(err) // the service answers with JSON
	}
	return string(out)
}
