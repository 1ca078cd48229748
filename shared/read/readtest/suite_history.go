package readtest

import (
	"fmt"
	"slices"
	"testing"
)

// revisions: every published revision of an entry comes, the newest first, up to the pin and as far as is asked.
func revisions(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	post := func(n uint64, title string) Item {
		it := f.post(n, "")
		it.Fields = fmt.Sprintf(`{"title":%q}`, title)
		return it
	}
	f.publish(post(1, "a"), post(2, "other"))
	f.publish(post(1, "b"))
	f.publish(gone(1))
	f.skip(3)
	f.publish(post(1, "c"))
	for n := range 60 {
		f.publish(post(3, fmt.Sprint(n)))
	}
	v := f.view()
	history := func(n, pin uint64, most int) []string {
		var all []string
		f.must(v.History(t.Context(), "posts", Entry(n), pin, func(fields []byte) bool {
			all = append(all, string(fields[len(`{"title":"`):len(fields)-len(`"}`)]))
			return len(all) < most
		}))
		return all
	}
	for _, c := range []struct {
		n, pin uint64
		most   int
		want   []string
	}{
		{1, 0, 9, []string{"c", "b", "a"}}, {1, 0, 2, []string{"c", "b"}}, {1, 7, 9, []string{"c", "b", "a"}}, {1, 6, 9, []string{"b", "a"}},
		{1, 3, 1, []string{"b"}}, {1, 1, 9, []string{"a"}}, {2, 0, 9, []string{"other"}}, {9, 0, 9, nil},
	} {
		if got := history(c.n, c.pin, c.most); !slices.Equal(got, c.want) {
			t.Errorf("entry %d at %d, at most %d: %q, want %q", c.n, c.pin, c.most, got, c.want)
		}
	}
	if got := history(3, 0, 100); len(got) != 60 || got[0] != "59" || got[59] != "0" {
		t.Errorf("60 revisions came as %q", got)
	}
	if err := v.History(t.Context(), "never", Entry(1), 0, func([]byte) bool { t.Error("a revision of another collection"); return true }); err != nil {
		t.Error(err)
	}
}
