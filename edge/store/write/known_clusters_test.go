package write

import (
	"testing"

	"svc/edge/store/layout"
)

// A cluster that is known is found by the places it holds and by no others, whatever was remembered in between; and its fill
// is that of its range, even when the range ended earlier since.
func TestKnownClustersAreFoundByWhatTheyHold(t *testing.T) {
	t.Parallel()
	at := func(n int) *layout.SortKey { return &layout.SortKey{byte(n >> 8), byte(n)} }
	var k knownClusters
	for i := range maxKnownClusters { // ranges of eight places, two apart, from the middle outwards
		n := maxKnownClusters/2 + (i+1)/2*(1-i%2*2)
		k.remember(layout.Cluster{Collection: 1, First: *at(10 * n), Last: *at(10*n + 7), From: uint64(n)}, ClusterFill{Rows: n})
	}
	shorter := layout.Cluster{Collection: 1, First: *at(70), Last: *at(73), From: 9}
	k.remember(shorter, ClusterFill{Rows: 5, Base: 4})
	for n := range 10 * maxKnownClusters {
		from, last := uint64(n/10), 7
		if n/10 == 7 {
			from, last = shorter.From, 3
		}
		s, found := k.holding(at(n))
		if found != (n%10 <= last) || found && s.From != from {
			t.Fatalf("%d: found %v, from %d", n, found, s.From)
		}
	}
	if f, known := k.fillOf(&shorter); !known || f != (ClusterFill{Rows: 5, Base: 4}) {
		t.Errorf("the fill is %v, known %v", f, known)
	}
	next := layout.Cluster{Collection: 1, First: *at(8), Last: *at(9), From: 3}
	k.remember(next, ClusterFill{Rows: 2})
	if s, found := k.holding(at(9)); len(k) != 1 || !found || s != next {
		t.Errorf("with too many, %d are kept, the new one among them: %v", len(k), found)
	}
	if _, found := k.holding(at(7)); found {
		t.Error("a place before all is held")
	}
}
