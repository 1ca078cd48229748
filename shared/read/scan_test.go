package read_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/schema"
	"svc/shared/testrand"
	"svc/shared/value"
)

const scannedSchema = `{"name":"posts","fields":{"x":{"type":"number"},"pad":{"type":"text"}}}`

// scanQuery binds a query string to scannedSchema.
func scanQuery(t rapid.TB, raw string) read.ListQuery {
	t.Helper()
	c, err := schema.Parse([]byte(scannedSchema))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := query.Parse(query.RouteList, raw)
	if err != nil {
		t.Fatal(err)
	}
	q := read.ListQuery{Collection: "posts", Frame: &read.Frame{Schema: c}, Limit: parsed.Limit}
	if q.Conditions, q.Order, err = query.Bind(c, value.Locales{}, "", parsed.Filters, parsed.Order); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestScanSelectsTheFirstRowsInOrder passes rows in any order, from one buffer that is written again for each, and compares the
// page with what sorting all of them gives.
func TestScanSelectsTheFirstRowsInOrder(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		q := scanQuery(t, rapid.SampledFrom([]string{"", "order=x", "order=-x", "filter[x][gte]=3", "filter[x][ne]=2&order=-x", "filter[x][exists]=false&order=x"}).Draw(t, "query"))
		q.Limit = rapid.IntRange(1, 6).Draw(t, "limit")
		q.Bytes = rapid.SampledFrom([]int{0, 1, 60, 150, 300}).Draw(t, "bytes")
		var rows []read.Row
		for n := range rapid.IntRange(0, 30).Draw(t, "rows") {
			row := read.Row{Entry: readtest.Entry(uint64(n))}
			x := ""
			if at := rapid.IntRange(0, 5).Draw(t, "x"); at > 0 {
				x = fmt.Sprintf(`"x":%d,`, at)
			}
			row.Fields = []byte(`{` + x + `"pad":"` + strings.Repeat("-", rapid.IntRange(0, 80).Draw(t, "pad")) + `"}`)
			row.Key = read.Key{Missing: n%3 > 0, Entry: row.Entry}
			if !row.Key.Missing {
				row.Key.Value = string(rune('a' + n%5))
			}
			rows = append(rows, row)
		}
		all := sorted(t, &q, rows)
		if len(all) > 0 && rapid.Bool().Draw(t, "after") {
			after := all[rapid.IntRange(0, len(all)-1).Draw(t, "the row")].Key
			q.After = &after
			all = slices.DeleteFunc(all, func(r read.Row) bool { return read.CompareKeys(&q.Order, &r.Key, &after) <= 0 })
		}
		inOrder := q.Order.IsDefault() && rapid.Bool().Draw(t, "in order")
		passed := rapid.Permutation(rows).Draw(t, "permutation")
		if inOrder {
			slices.SortFunc(passed, func(a, b read.Row) int { return read.CompareKeys(&q.Order, &a.Key, &b.Key) })
		}
		page, err := read.Scan(&q, inOrder, overwriting(passed))
		if err != nil {
			t.Fatal(err)
		}
		size, want := 0, 0
		for want < len(all) && want < q.Limit && (q.Bytes == 0 || size < q.Bytes) {
			size += len(all[want].Fields)
			want++
		}
		got := fmt.Sprint(page.More, keys(page.Rows))
		if wanted := fmt.Sprint(want < len(all), keys(all[:want])); got != wanted {
			t.Fatalf("got %s\nwant %s", got, wanted)
		}
	})
}

func keys(rows []read.Row) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%+v %s", r.Key, r.Fields))
	}
	return all
}

// sorted returns the rows that match, with their keys, in order.
func sorted(t rapid.TB, q *read.ListQuery, rows []read.Row) []read.Row {
	var all []read.Row
	for _, r := range rows {
		in, err := q.Conditions.Match(r.Fields)
		if err != nil {
			t.Fatal(err)
		}
		if !in {
			continue
		}
		if !q.Order.IsDefault() {
			key, missing, err := q.Order.Key(nil, r.Fields)
			if err != nil {
				t.Fatal(err)
			}
			r.Key = read.Key{Missing: missing, Value: string(key), Entry: r.Entry}
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b read.Row) int { return read.CompareKeys(&q.Order, &a.Key, &b.Key) })
	return all
}

// overwriting passes rows whose fields hold during the call only.
func overwriting(rows []read.Row) func(yield func(*read.Row) bool) error {
	return func(yield func(*read.Row) bool) error {
		var space []byte
		for _, row := range rows {
			space = append(space[:0], row.Fields...)
			row.Fields = space
			if !yield(&row) {
				return nil
			}
			copy(space, bytes.Repeat([]byte{'#'}, len(space)))
		}
		return nil
	}
}

func TestScanEndsWithAnError(t *testing.T) {
	q := scanQuery(t, "filter[x]=1&order=x")
	gone := errors.New("gone")
	if _, err := read.Scan(&q, false, func(func(*read.Row) bool) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("a walk that fails: %v", err)
	}
	passed := 0
	_, err := read.Scan(&q, false, func(yield func(*read.Row) bool) error {
		for yield(&read.Row{Fields: []byte("damaged")}) {
			passed++
		}
		return nil
	})
	if !errors.Is(err, value.ErrForm) || passed != 0 {
		t.Errorf("after %d rows that are damaged: %v", passed, err)
	}
}

// TestAScanInOrderEndsWithThePage: it takes one matching row more than the page has, and no further one.
func TestAScanInOrderEndsWithThePage(t *testing.T) {
	q := scanQuery(t, "filter[x]=1&limit=2")
	passed := 0
	page, err := read.Scan(&q, true, func(yield func(*read.Row) bool) error {
		for n := uint64(1000); n > 0; n-- {
			passed++
			e := readtest.Entry(n)
			if !yield(&read.Row{Entry: e, Key: read.Key{Missing: true, Entry: e}, Fields: fmt.Appendf(nil, `{"x":%d}`, n%10)}) {
				return nil
			}
		}
		return nil
	})
	if err != nil || len(page.Rows) != 2 || !page.More || passed != 30 {
		t.Errorf("%d rows, more %v, after %d passed, %v", len(page.Rows), page.More, passed, err)
	}
}

func TestRowsThatArePassedOverDoNotAllocate(t *testing.T) {
	q := scanQuery(t, "filter[x][gt]=5&order=x&limit=1")
	var rows []read.Row
	for n := range uint64(1000) { // the first is kept, the others are behind it or do not match
		rows = append(rows, read.Row{Entry: readtest.Entry(n), Fields: fmt.Appendf(nil, `{"x":%d,"pad":"text"}`, 6-n%2)})
	}
	n := testing.AllocsPerRun(10, func() {
		_, err := read.Scan(&q, false, func(yield func(*read.Row) bool) error {
			for i := range rows {
				if !yield(&rows[i]) {
					break
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if n > 10 {
		t.Errorf("%v allocations over %d rows", n, len(rows))
	}
}
