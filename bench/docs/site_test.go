package docs

import (
	"maps"
	"slices"
	"testing"
)

func TestTheBeginningOfAHistoryHasThePagesItChanges(t *testing.T) {
	h := &History{
		Base:  Site{"a": Page{}, "b": Page{}, "c": Page{}, "d": Page{}},
		Edits: []Edit{{Changes: []Change{{Path: "d"}, {Path: "new"}}}, {Changes: []Change{{Path: "c"}}}},
	}
	for _, c := range []struct {
		edits, others int
		pages         []string
	}{{0, 1, []string{"a"}}, {1, 2, []string{"a", "b", "d"}}, {2, 1, []string{"a", "c", "d"}}, {5, 9, []string{"a", "b", "c", "d"}}} {
		got := h.Beginning(c.edits, c.others)
		if pages := slices.Sorted(maps.Keys(got.Base)); !slices.Equal(pages, c.pages) || len(got.Edits) != min(c.edits, 2) {
			t.Errorf("%d edits and %d others: %v and %d edits, want %v", c.edits, c.others, pages, len(got.Edits), c.pages)
		}
	}
}
