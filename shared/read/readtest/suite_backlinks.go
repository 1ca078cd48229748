package readtest

import (
	"fmt"
	"slices"
	"testing"
)

// backlinks: the newest ones of all collections that are asked for come first and no more than wanted, as they were live at the
// release.
func backlinks(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	for _, name := range []string{"posts", "notes", "plain"} {
		kind := `"reference","to":"posts","multiple":true`
		if name == "plain" {
			kind = `"text"`
		}
		f.put(Version{Name: name, Version: 7, Label: name, Canonical: fmt.Appendf(nil,
			`{"name":%q,"visibility":"public","fields":{"slug":{"type":"slug"},"to":{"type":%s}}}`, name, kind)})
	}
	item := func(collection string, n uint64, to string) Item {
		it := f.post(n, fmt.Sprint("s", n))
		it.Collection, it.SchemaVersion, it.Fields = collection, 7, fmt.Sprintf(`{"slug":%q,"to":%s}`, it.Slug, to)
		return it
	}
	one, other := fmt.Sprintf(`["%s"]`, Entry(1)), fmt.Sprintf(`["%s","%s"]`, Entry(20), Entry(1))
	f.publish(
		item("posts", 1, "[]"), item("posts", 2, one), item("notes", 3, other), item("posts", 4, other), item("notes", 5, one),
		item("plain", 6, fmt.Sprintf("%q", Entry(1))), item("notes", 7, fmt.Sprintf(`["%s"]`, Entry(20))),
	)
	gone3 := gone(3)
	gone3.Collection = "notes"
	f.publish(gone3, item("posts", 4, "[]"), item("notes", 7, one), item("posts", 8, one))
	v := f.view()
	for _, c := range []struct {
		from  []string
		pin   uint64
		limit int
		want  []uint64
	}{
		{[]string{"posts", "notes", "plain"}, 0, 100, []uint64{8, 7, 5, 2}},
		{[]string{"plain", "notes", "posts"}, 2, 100, []uint64{8, 7, 5, 2}},
		{[]string{"posts", "notes", "plain"}, 1, 100, []uint64{5, 4, 3, 2}},
		{[]string{"posts", "notes"}, 0, 3, []uint64{8, 7, 5}},
		{[]string{"notes", "posts"}, 0, 3, []uint64{8, 7, 5}},
		{[]string{"notes", "posts"}, 1, 1, []uint64{5}},
		{[]string{"posts"}, 1, 100, []uint64{4, 2}},
		{[]string{"nothing", "notes"}, 0, 100, []uint64{7, 5}},
		{nil, 0, 100, nil},
	} {
		found, err := v.Backlinks(t.Context(), Entry(1), c.pin, c.from, c.limit)
		f.must(err)
		var got []uint64
		for _, link := range found {
			n := number(link.Entry)
			got = append(got, n)
			if link.Collection != []string{"posts", "notes"}[n%2] || link.Slug != fmt.Sprint("s", n) {
				t.Errorf("entry %d: %+v", n, link)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %v at %d, at most %d: %v, want %v", c.from, c.pin, c.limit, got, c.want)
		}
	}
	if found, err := v.Backlinks(t.Context(), Entry(9), 0, []string{"posts", "notes"}, 9); len(found) > 0 || err != nil {
		t.Errorf("to an entry that nothing names: %v, %v", found, err)
	}
}
