package readtest

import (
	"fmt"
	"strings"
	"testing"

	"svc/shared/query"
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

// largeMatches: the bound counts the rows of the list alone, in its order, whatever else is looked at.
func largeMatches(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"number"},"pad":{"type":"text"}`))
	sizes := []int{500, 9000, 100, 700, 100, 9000, 400, 100, 100} // of 1 to 9
	var items []Item
	for i, size := range sizes {
		it := f.post(uint64(i+1), "")
		it.Fields = fmt.Sprintf(`{"x":%d,"pad":""}`, 9-i)
		if size == 9000 {
			it.Fields = `{"pad":""}`
		}
		it.Fields = strings.Replace(it.Fields, `"pad":"`, `"pad":"`+strings.Repeat("x", size-len(it.Fields)), 1)
		items = append(items, it)
	}
	f.publish(items...)
	f.rank(map[uint64]string{7: "a", 2: "b", 4: "c"})
	check := func(pin uint64) {
		f.Helper()
		for raw, want := range map[string]string{
			"filter[x][exists]=true":          "[[7 4] [9 8 5 3 1]]",
			"filter[x][exists]=true&order=x":  "[[9 8 7 5 4] [3 1]]",
			"filter[x][exists]=true&order=-x": "[[1 3 4] [5 7 8 9]]",
			"order=x":                         "[[9 8 7 5 4] [3 1 2] [6]]",
			"filter[x][lte]=3":                "[[7 9 8]]",
			"filter[x][exists]=false":         "[[2] [6]]",
		} {
			q := f.query(raw, pin)
			q.Limit, q.Bytes = 100, 1000
			if got := fmt.Sprint(f.pages(q)); got != want {
				t.Errorf("%s at %d: %s, want %s", raw, pin, got, want)
			}
		}
	}
	check(0)
	pinned := f.release
	f.publish(f.post(1, ""), gone(4), f.post(10, ""))
	check(pinned)
}

// query binds a query string to what is in force at a pin.
func (f *fixture) query(raw string, pin uint64) read.ListQuery {
	f.Helper()
	parsed, err := query.Parse(query.RouteList, raw)
	f.must(err)
	v, err := f.subject.Store().Open(f.Context(), string(f.settings.ID))
	f.must(err)
	defer v.Close()
	frame, err := v.Frame(f.Context(), "posts", pin)
	f.must(err)
	q := read.ListQuery{Collection: "posts", Pin: pin, Limit: parsed.Limit, Frame: &frame, Locale: parsed.Locale}
	q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), parsed.Locale, parsed.Filters, parsed.Order)
	f.must(err)
	return q
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
