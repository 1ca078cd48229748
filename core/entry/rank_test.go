package entry

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

func checkRank(t interface{ Fatalf(string, ...any) }, rank string) {
	if rank == "" || strings.HasSuffix(rank, "0") || strings.Trim(rank, rankDigits) != "" {
		t.Fatalf("%q is no rank", rank)
	}
}

func TestBetweenAlwaysFindsRoom(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		order := []string{}
		for range rapid.IntRange(1, 200).Draw(t, "moves") {
			at := rapid.IntRange(0, len(order)).Draw(t, "at")
			before, after := "", ""
			if at > 0 {
				before = order[at-1]
			}
			if at < len(order) {
				after = order[at]
			}
			rank := between(before, after)
			checkRank(t, rank)
			if rank <= before || after != "" && rank >= after {
				t.Fatalf("%q does not lie between %q and %q", rank, before, after)
			}
			order = slices.Insert(order, at, rank)
		}
	})
}

func TestSpreadRisesAndLeavesRoom(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 10, 29, 30, 31, 1000, 10_000} {
		ranks := spread(n)
		if len(ranks) != n || !slices.IsSorted(ranks) || len(slices.Compact(slices.Clone(ranks))) != n {
			t.Fatalf("%d ranks: %d, sorted %v", n, len(ranks), slices.IsSorted(ranks))
		}
		for i, rank := range ranks {
			checkRank(t, rank)
			if len(rank) > 3 {
				t.Fatalf("%d ranks: %q is long", n, rank)
			}
			if i > 0 && len(between(ranks[i-1], rank)) > 4 {
				t.Fatalf("%d ranks: no room between %q and %q", n, ranks[i-1], rank)
			}
		}
	}
}
