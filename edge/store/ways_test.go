package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestEveryWayLeadsToTheSame makes a history with schemas that come, change and go, and brings it to stores in every way
// that an edge comes by it. All answer alike at the head and at every release, and have the same state.
func TestEveryWayLeadsToTheSame(t *testing.T) {
	t.Parallel()
	testrand.CheckFew(t, 20, func(t *rapid.T) {
		m := newMachine(t)
		defer m.close()
		t.Repeat(map[string]func(*rapid.T){
			"release": m.release, "clear": m.clear, "skip": m.skip, "rank": m.rank, "schema": m.schema, "settings": m.settings,
		})
		whole := m.feed()
		first := whole.until(rapid.IntRange(1, len(whole.changes)).Draw(t, "changes before"))
		for way, bring := range map[string]func(sub *subject, fs *vfs.MemFS){
			"loaded":       func(sub *subject, _ *vfs.MemFS) { whole.load(t, sub.s) },
			"loaded early": func(sub *subject, _ *vfs.MemFS) { first.load(t, sub.s) },
			"restarted": func(sub *subject, fs *vfs.MemFS) {
				first.resume(t, sub.s)
				if err := sub.s.Close(); err != nil {
					t.Fatal(err)
				}
				sub.open(fs)
			},
			"loaded twice": func(sub *subject, _ *vfs.MemFS) {
				first.resume(t, sub.s)
				whole.load(t, sub.s)
			},
		} {
			fs := vfs.NewMem()
			sub := &subject{t: t, feeds: map[string]*feed{}}
			sub.open(fs)
			bring(sub, fs)
			whole.resume(t, sub.s)
			whole.wantSum(t, sub.s)
			m.wantAlike(t, way, sub.s)
			if err := sub.s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// until is the log as it was after so many changes.
func (f *feed) until(changes int) *feed {
	early := newFeed(f.id)
	for _, c := range f.changes[:changes] {
		early.next(c.Kind, c.Body)
	}
	return early
}

// wantAlike holds another store against the machine's.
func (m *machine) wantAlike(t *rapid.T, way string, s *Store) {
	t.Helper()
	reads := readtest.Reads{Project: m.set.ID, Collections: machineCollections, Entries: entryIDs(machineEntries)[:6], Limit: 4}
	for n := range 8 {
		reads.Slugs = append(reads.Slugs, fmt.Sprintf("s%d", n))
	}
	want, err := m.sub.s.Open(context.Background(), m.set.Slug)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	got, err := s.Open(context.Background(), m.set.Slug)
	if err != nil {
		t.Fatalf("%s: %v", way, err)
	}
	defer got.Close()
	pins := []uint64{0, 1, m.head}
	for range min(4, m.head) {
		pins = append(pins, rapid.Uint64Range(1, m.head).Draw(t, "pin"))
	}
	for _, pin := range pins {
		theirs, err := reads.Answers(context.Background(), got, pin)
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		ours, err := reads.Answers(context.Background(), want, pin)
		if err != nil {
			t.Fatal(err)
		}
		wantLines(t, theirs, ours)
	}
}
