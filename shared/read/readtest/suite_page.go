package readtest

import (
	"fmt"
	"strings"
	"testing"

	"svc/shared/read"
)

// largeRows: a page ends with the row that makes it large, at the head and at pins, across the end of the arranged
// entries, and the pages together hold every row once.
func largeRows(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	sizes := map[uint64]int{1: 100, 2: 900, 3: 100, 4: 100, 5: 2000, 6: 100, 7: 500, 8: 500, 9: 100}
	var items []Item
	for n := uint64(1); n <= 9; n++ {
		item := f.post(n, "")
		pad := sizes[n] - len(`{"title":""}`)
		item.Fields = fmt.Sprintf(`{"title":%q}`, strings.Repeat("x", pad))
		items = append(items, item)
	}
	f.publish(items...)
	f.rank(map[uint64]string{4: "b", 5: "a", 7: "c"}) // so the order is 5 4 7 9 8 6 3 2 1
	pinned := f.release
	check := func(pin uint64) {
		f.Helper()
		for _, c := range []struct {
			limit, bytes int
			want         string
		}{
			{100, 0, "[[5 4 7 9 8 6 3 2 1]]"},
			{100, 1 << 20, "[[5 4 7 9 8 6 3 2 1]]"},
			{100, 1000, "[[5] [4 7 9 8] [6 3 2] [1]]"},
			{100, 1200, "[[5] [4 7 9 8] [6 3 2 1]]"},
			{100, 600, "[[5] [4 7] [9 8] [6 3 2] [1]]"},
			{3, 1000, "[[5] [4 7 9] [8 6 3] [2 1]]"},
			{100, 1, "[[5] [4] [7] [9] [8] [6] [3] [2] [1]]"},
		} {
			got := fmt.Sprint(f.pages(read.ListQuery{Collection: "posts", Pin: pin, Limit: c.limit, Bytes: c.bytes}))
			if got != c.want {
				t.Errorf("limit %d, %d bytes, pin %d of %d: %s, want %s", c.limit, c.bytes, pin, f.release, got, c.want)
			}
		}
	}
	check(0)
	check(pinned) // which is the head
	for range 3 {
		f.publish(f.post(1000+f.release, ""))
		check(pinned)
	}
}

// pages returns the numbers of the entries on each page.
func (f *fixture) pages(q read.ListQuery) (all [][]uint64) {
	f.Helper()
	v, err := f.subject.Store().Open(f.Context(), string(f.settings.ID))
	f.must(err)
	defer v.Close()
	for {
		page, err := v.List(f.Context(), q)
		f.must(err)
		var numbers []uint64
		for _, row := range page.Rows {
			numbers = append(numbers, number(row.Entry))
		}
		all = append(all, numbers)
		if !page.More {
			return all
		}
		last := page.Rows[len(page.Rows)-1].Key
		q.After = &last
	}
}
