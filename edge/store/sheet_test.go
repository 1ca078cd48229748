package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestSheetsTellWhatDocumentsTell publishes entries at random: some again and again, new ones between them, many at once,
// and some go. At every release the sheets tell of every entry what its documents tell, followed or loaded; ranges grow and
// end earlier; and what sheets take in addition stays within bounds.
func TestSheetsTellWhatDocumentsTell(t *testing.T) {
	t.Parallel()
	rng := testrand.New(t)
	for _, size := range []int{1, 4, 16, defaultSheet} {
		sub := &subject{t: t, feeds: map[string]*feed{}, sheetSize: size}
		sub.open(vfs.NewMem())
		p := newProject(t, sub, 1)
		const entries = 100
		for range 100 * testrand.Scale {
			var items []readtest.Item
			seen := map[uint64]bool{}
			n := 1
			if rng.IntN(20) == 0 {
				n = 1 + rng.IntN(entries)
			}
			hot := rng.Uint64N(entries)
			for range n {
				e := rng.Uint64N(entries)
				if rng.IntN(3) > 0 {
					e = (hot + rng.Uint64N(8)) % entries
				}
				if seen[e] {
					continue
				}
				seen[e] = true
				if rng.IntN(8) == 0 {
					items = append(items, gone(e))
				} else {
					items = append(items, p.post(e, ""))
				}
			}
			p.publish(items...)
		}
		wantSheets(t, p)
		p.log().load(t, sub.s)
		wantSheets(t, p)
		if err := sub.s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// wantSheets checks the sheets of a project of one collection.
func wantSheets(t *testing.T, p *project) {
	t.Helper()
	wantSound(t, p.s, string(p.id))
	documents, rows, heads := len(keysIn(t, p.s, tableDocument)), 0, 0
	ranges := map[string]bool{}
	for _, key := range keysIn(t, p.s, tableSheet) {
		if len(key) == sheetRowLen {
			rows++
			continue
		}
		heads++
		ranges[string(key[sheetRange:sheetFrom])] = true
	}
	t.Logf("%d documents, %d sheets of %d ranges with %d rows", documents, heads, len(ranges), rows)
	if heads < len(ranges) || len(ranges) == 0 {
		t.Fatal("there are no sheets")
	}
	// Each document once where it came, and about once more in the sheets it is carried on to.
	if most := 5 * documents / 2; rows > most {
		t.Errorf("sheets have %d rows for %d documents, want at most %d", rows, documents, most)
	}
}
