package readtest

import (
	"slices"
	"testing"

	"svc/shared/read"
)

func defaultOrder(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.wantEntries(f.view(), 0)
	f.publish(f.post(3, "c"), f.post(1, "a"), f.post(5, "e"))
	f.publish(f.post(4, "d"), f.post(2, "b"))
	f.wantEntries(f.view(), 0, 5, 4, 3, 2, 1)
	f.rank(map[uint64]string{2: "a0", 4: "Zz", 1: "a0V"})
	v := f.view()
	f.wantEntries(v, 0, 4, 2, 1, 5, 3) // ranks compare by byte: Zz before a0 before a0V
	f.wantEntries(v, 1, 1, 5, 3)
	f.wantEntries(v, 2, 4, 2, 1, 5, 3)
	for _, row := range walk(t, v, "posts", 0, 2) {
		want := read.Key{Missing: true, Entry: row.Entry}
		if rank := map[uint64]string{2: "a0", 4: "Zz", 1: "a0V"}[number(row.Entry)]; rank != "" {
			want = read.Key{Value: rank, Entry: row.Entry}
		}
		if row.Key != want {
			t.Errorf("the key of %d is %+v", number(row.Entry), row.Key)
		}
	}
	f.rank(map[uint64]string{2: "m", 5: "m", 4: ""})
	f.wantEntries(f.view(), 0, 1, 2, 5, 4, 3) // equal ranks go by id
}

func liveRanks(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"), f.post(2, "b"), f.post(3, "c"))
	f.rank(map[uint64]string{1: "b", 2: "a"})
	f.publish(gone(2))
	f.wantEntries(f.view(), 1, 2, 1, 3)
	f.rank(map[uint64]string{3: "0"})
	v := f.view()
	f.wantEntries(v, 1, 3, 2, 1)
	f.wantEntries(v, 2, 3, 1)
	f.publish(f.post(2, "b")) // its rank was kept
	f.wantEntries(f.view(), 0, 3, 2, 1)
}

func goneKeys(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	var items []Item
	for n := uint64(1); n <= 6; n++ {
		items = append(items, f.post(n, ""))
	}
	f.publish(items...)
	f.rank(map[uint64]string{6: "f", 5: "m"})
	f.publish(gone(5), gone(3))
	v := f.view()
	for _, c := range []struct {
		after read.Key
		want  []uint64
	}{
		{read.Key{Value: "a", Entry: Entry(1)}, []uint64{6, 4, 2, 1}},
		{read.Key{Value: "f", Entry: Entry(6)}, []uint64{4, 2, 1}},
		{read.Key{Value: "f", Entry: Entry(5)}, []uint64{6, 4, 2, 1}},
		{read.Key{Value: "m", Entry: Entry(5)}, []uint64{4, 2, 1}},
		{read.Key{Value: "zzzz", Entry: Entry(99)}, []uint64{4, 2, 1}},
		{read.Key{Missing: true, Entry: Entry(3)}, []uint64{2, 1}},
		{read.Key{Missing: true, Entry: Entry(99)}, []uint64{4, 2, 1}},
		{read.Key{Missing: true, Entry: Entry(1)}, nil},
	} {
		page, err := v.List(t.Context(), read.ListQuery{Collection: "posts", After: &c.after, Limit: 10})
		f.must(err)
		var got []uint64
		for _, row := range page.Rows {
			got = append(got, number(row.Entry))
		}
		if !slices.Equal(got, c.want) || page.More {
			t.Errorf("after %+v: %v, more %v; want %v", c.after, got, page.More, c.want)
		}
	}
}

// Rows that do not change are neither skipped nor repeated, whatever happens between two pages.
func walkOn(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	var items []Item
	for n := uint64(1); n <= 30; n++ {
		items = append(items, f.post(10*n, ""))
	}
	f.publish(items...)
	f.rank(map[uint64]string{50: "b", 60: "d", 70: "f"})
	seen := map[uint64]int{}
	q := read.ListQuery{Collection: "posts", Limit: 4}
	for round := uint64(0); ; round++ {
		page, err := f.view().List(t.Context(), q)
		f.must(err)
		for _, row := range page.Rows {
			seen[number(row.Entry)]++
		}
		if !page.More {
			break
		}
		after := page.Rows[len(page.Rows)-1].Key
		q.After = &after
		f.publish(gone(10*(30-round)), f.post(10*round+5, ""), f.post(200, ""))
		f.rank(map[uint64]string{10*round + 5: "c"})
	}
	for n := uint64(10); n <= 200; n += 10 {
		if seen[n] != 1 {
			t.Errorf("entry %d was seen %d times", n, seen[n])
		}
	}
}
