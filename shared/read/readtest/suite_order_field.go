package readtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ties go by id, ascending in both directions, and so do entries that lack the field, which come last in both. Editorial ranks
// do not matter.
func ties(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"number"}`))
	values := []string{"1", "", "2", "1.0", "null", "2", "10e-1", "", "-3"} // of 1 to 9
	var items []Item
	for i, v := range values {
		items = append(items, f.holding(uint64(i+1), v))
	}
	f.publish(items...)
	f.rank(map[uint64]string{8: "a", 3: "b", 1: "c"})
	f.wantList("order=x", 9, 1, 4, 7, 3, 6, 2, 5, 8)
	f.wantList("order=-x", 3, 6, 1, 4, 7, 9, 2, 5, 8)
	f.wantList("order=-x&filter[x][lt]=2", 1, 4, 7, 9)
	f.wantList("order=x&filter[x][ne]=1", 9, 3, 6, 2, 5, 8)
	f.wantList("filter[x][ne]=1", 8, 3, 9, 6, 5, 2) // the default order has the ranks
	f.publish(f.holding(4, "5"), f.holding(9, ""), f.holding(2, "1"), gone(7))
	f.wantList("order=x", 1, 2, 3, 6, 4, 5, 8, 9)
	f.wantList("order=-x", 4, 3, 6, 1, 2, 5, 8, 9)
	f.wantList("at=1&order=-x", 3, 6, 1, 4, 7, 9, 2, 5, 8)
}

// twoRanges: a list in the order of one range, of which another one leaves less.
func twoRanges(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"number"},"y":{"type":"number"}`))
	var items []Item
	for n := range uint64(9) {
		it := f.post(n+1, "")
		it.SchemaVersion, it.Fields = 2, fmt.Sprintf(`{"x":%d,"y":%d}`, n+1, 9-n)
		items = append(items, it)
	}
	f.publish(items...)
	f.publish(gone(2))
	for prefix, second := range map[string][]uint64{"": nil, "at=1&": {2}} {
		f.wantList(prefix+"filter[x][gte]=2&filter[y][gte]=6&order=x", append(slices.Clone(second), 3, 4)...)
		f.wantList(prefix+"filter[x][gte]=2&filter[y][gte]=6&order=-x", append([]uint64{4, 3}, second...)...)
		f.wantList(prefix+"filter[x][lte]=4&filter[y][lt]=9&order=y", append([]uint64{4, 3}, second...)...)
		f.wantList(prefix+"filter[x][lte]=4&filter[y][lt]=9", append([]uint64{4, 3}, second...)...)
	}
}

// longTexts have beginnings that are equal for longer than any index or cursor holds. Their order is that of the whole, the
// pages hold every row once, and cursors stay short.
func longTexts(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"text","localized":true}`))
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "en" })
	of := func(length int, end string) string { return strings.Repeat("long ", length/5) + end }
	texts := []string{ // ascending; two are equal
		of(100, ""), of(100, "a"), of(125, "b"), of(255, ""), of(255, "a"), of(260, ""), of(300, ""), of(300, "a"), of(300, "a"), of(300, "b"), of(3000, ""), of(3000, "\u00e9"), of(3000, "漢"), "longer",
	}
	mixed := []int{3, 11, 0, 7, 5, 13, 8, 1, 10, 2, 12, 6, 9, 4} // texts of entries 1 to 14
	var items []Item
	var ascending []uint64
	for i, at := range mixed {
		items = append(items, f.holding(uint64(i+1), fmt.Sprintf(`{"de":%q,"en":%q}`, texts[13-at], texts[at])))
	}
	for at := range texts {
		ascending = append(ascending, uint64(slices.Index(mixed, at)+1))
	}
	i := slices.Index(texts, of(300, "a"))
	slices.Sort(ascending[i : i+2])
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	slices.Sort(descending[13-i-1 : 13-i+1])
	f.publish(items...)
	check := func(prefix string) {
		f.Helper()
		f.wantList(prefix+"order=x", ascending...)
		f.wantList(prefix+"order=-x", descending...)
		for n, at := range mixed[:4] {
			equal := []uint64{uint64(n + 1)}
			if texts[at] == of(300, "a") {
				equal = []uint64{7, 4}
			}
			f.wantList(prefix+"filter[x]="+strings.ReplaceAll(texts[at], " ", "+"), equal...)
		}
		f.wantList(prefix+"filter[x][gt]="+strings.ReplaceAll(of(300, ""), " ", "+")+"&order=x", ascending[7:]...)
		f.wantList(prefix+"filter[x][lte]="+strings.ReplaceAll(of(300, ""), " ", "+")+"&order=-x", descending[7:]...)
	}
	check("")
	if got := f.listed("limit=2&locale=de&order=-x"); len(got) != 14 || got[0] != ascending[0] {
		t.Errorf("in the other locale %v", got)
	}
	_, next := f.page("limit=11&order=x")
	if len(next) > 600 {
		t.Errorf("a cursor makes a query of %d bytes", len(next))
	}
	// The row that a cursor stands behind changes, and goes.
	rest := ascending[11:]
	last := ascending[10]
	for _, change := range []Item{f.holding(last, `{"en":"first"}`), f.holding(last, `"first, plain"`), gone(last), f.holding(last, `{"de":"x","en":"first"}`)} {
		f.publish(change)
		if got, _ := f.page(next); !slices.Equal(got, rest) {
			t.Errorf("after the row changed, the walk goes on with %v, want %v", got, rest)
		}
	}
	check("at=1&")
	// A project that is pinned to the release before all that goes on from there.
	f.set(func(s *Settings) { s.Pinned = 1 })
	if got, _ := f.page(next); !slices.Equal(got, rest) {
		t.Errorf("pinned, the walk goes on with %v, want %v", got, rest)
	}
	check("")
}
