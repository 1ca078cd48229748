package readtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// orderedWalks go on while releases land, the default order with filters and the order of a field in both directions: rows
// that do not change are neither skipped nor repeated. A schema that changes other things does not matter either; one that
// gives the field another type ends the walk, since no place in it is comparable any more.
func orderedWalks(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"number"}`))
	f.sixty()
	for round, order := range []string{"order=x", "order=-x", "filter[x][exists]=true&order=-x", "filter[x][gte]=3", "filter[x][ne]=2&order=x"} {
		next := "limit=4&" + order
		still, seen := map[uint64]bool{}, map[uint64]int{}
		for _, n := range f.listed("limit=100&" + order) {
			still[n] = true
		}
		for step := uint64(1); next != ""; step++ {
			var numbers []uint64
			numbers, next = f.page(next)
			for _, n := range numbers {
				seen[n]++
			}
			if len(numbers) == 0 {
				break
			}
			// The last row that was read moves ahead or away, one that was not read goes, and others come everywhere.
			last, other := numbers[len(numbers)-1], (7*step+uint64(round))%60+1
			changes := []Item{f.holding(last, fmt.Sprint(int(step)-5)), f.holding(100*uint64(round+1)+step, fmt.Sprint(step%8))}
			if other != last {
				changes = append(changes, gone(other))
			}
			f.publish(changes...)
			delete(still, last)
			delete(still, other)
			if step == 3 {
				f.put(oneField(uint32(10+round), fmt.Sprintf(`,"x":{"type":"number","max":%d},"y":{"type":"text"}`, 1000+round)))
			}
		}
		for n := range still {
			if seen[n] != 1 {
				t.Errorf("%s: entry %d was read %d times", order, n, seen[n])
			}
		}
		f.sixty()
	}
	_, next := f.page("limit=4&order=x")
	f.put(oneField(30, `,"x":{"type":"text"}`))
	f.wantRefused(next, "cursor")
}

// sixty publishes entries 1 to 60, some without a value and many with an equal one.
func (f *fixture) sixty() {
	f.Helper()
	var items []Item
	for n := uint64(1); n <= 60; n++ {
		raw := fmt.Sprint(n % 7)
		if n%10 == 3 {
			raw = ""
		}
		items = append(items, f.holding(n, raw))
	}
	f.publish(items...)
}

// boundCursors belong to filters by what they mean and to one order.
func boundCursors(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(oneField(2, `,"x":{"type":"number"},"y":{"type":"number"}`))
	f.publish(f.holding(1, "1"), f.holding(2, "2"), f.holding(3, "3"))
	_, next := f.page("limit=1&filter[x][in]=3,1&filter[y][exists]=false&order=-x")
	_, cursor, _ := strings.Cut(next, "cursor=")
	for same, want := range map[string]bool{
		"filter[x][in]=3,1&filter[y][exists]=false&order=-x":         true,
		"filter[y][exists]=false&order=-x&filter[x][in]=1,3.0,10e-1": true,
		"filter[x][in]=3,1&filter[y][exists]=false&order=x":          false,
		"filter[x][in]=3,1&filter[y][exists]=false":                  false,
		"filter[x][in]=3,1&order=-x":                                 false,
		"filter[x][in]=3,2&filter[y][exists]=false&order=-x":         false,
		"order=-x": false,
		"order=-y": false,
		"":         false,
	} {
		query := same + "&limit=50&cursor=" + cursor
		if !want {
			f.wantRefused(query, "cursor")
		} else if got, _ := f.page(query); len(got) != 1 || got[0] != 1 {
			t.Errorf("%s: %v", query, got)
		}
	}
	f.wantRefused("order=x&cursor="+url.QueryEscape("AAAA"), "cursor")
}
