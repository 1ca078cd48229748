package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestClustersTellWhatDocumentsTell publishes entries at random: some again and again, new ones between them, many at once,
// and some go. At every release the clusters tell of every entry what its documents tell, followed or loaded; ranges grow and
// end earlier; and what clusters take in addition stays within bounds.
func TestClustersTellWhatDocumentsTell(t *testing.T) {
	t.Parallel()
	rng := testrand.New(t)
	for _, size := range []int{1, 4, 16, smallTuning().rows.ClusterSize} {
		tune := smallTuning()
		tune.rows.ClusterSize = size
		sub := &subject{t: t, feeds: map[string]*feed{}, tune: tune}
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
		wantClusters(t, p)
		p.log().load(t, sub.s)
		wantClusters(t, p)
		if err := sub.s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// wantClusters checks the clusters of a project of one collection.
func wantClusters(t *testing.T, p *project) {
	t.Helper()
	wantSound(t, p.s, string(p.id))
	documents, rows, heads := len(keysIn(t, p.s, layout.TableDocument)), 0, 0
	ranges := map[string]bool{}
	rowLen := len((&layout.Cluster{}).Row(0, nil, &layout.SortKey{}, 0))
	for _, key := range keysIn(t, p.s, layout.TableCluster) {
		if len(key) == rowLen {
			rows++
			continue
		}
		heads++
		ranges[string(key[:len(key)-8])] = true
	}
	t.Logf("%d documents, %d clusters of %d ranges with %d rows", documents, heads, len(ranges), rows)
	if heads < len(ranges) || len(ranges) == 0 {
		t.Fatal("there are no clusters")
	}
	// Each document once where it came, and about once more in the clusters it is carried on to.
	if most := 5 * documents / 2; rows > most {
		t.Errorf("clusters have %d rows for %d documents, want at most %d", rows, documents, most)
	}
}
