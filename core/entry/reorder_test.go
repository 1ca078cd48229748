package entry_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/content"
	"svc/shared/fault"
)

// ordering is a collection of five authors, a to e by creation.
type ordering struct {
	*bed
	ids map[string]content.EntryID
}

func newOrdering(t *testing.T) ordering {
	s := ordering{newBed(t), map[string]content.EntryID{}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.ids[name] = s.Published("authors", fmt.Sprintf(`{"name": %q}`, name)).ID
	}
	return s
}

func (s ordering) reorder(in entry.Arrangement) ([]entry.Ranked, error) {
	return entry.Reorder(s.Context(), s.Pool, s.Actor, s.ID, "authors", in)
}

func (s ordering) order(names string) entry.Arrangement {
	in := entry.Arrangement{Order: []content.EntryID{}}
	for _, n := range strings.Fields(names) {
		in.Order = append(in.Order, s.ids[n])
	}
	return in
}

func (s ordering) move(name, where, anchor string) entry.Arrangement {
	m := &entry.Move{Entry: s.ids[name]}
	if where == "before" {
		m.Before = s.ids[anchor]
	} else {
		m.After = s.ids[anchor]
	}
	return entry.Arrangement{Move: m}
}

// read is the default order: the arranged ones, a bar, the others newest first.
func (s ordering) read() string {
	s.Helper()
	return entrytest.One[string](s.Bed, `SELECT concat_ws(' | ',
		(SELECT string_agg(r.fields::json ->> 'name', ' ' ORDER BY e.rank) FROM entry e JOIN revision r ON r.id = e.published_revision_id
		 WHERE e.collection = 'authors' AND e.rank IS NOT NULL),
		(SELECT string_agg(r.fields::json ->> 'name', ' ' ORDER BY e.id DESC) FROM entry e JOIN revision r ON r.id = e.published_revision_id
		 WHERE e.collection = 'authors' AND e.rank IS NULL))`)
}

func TestReorder(t *testing.T) {
	t.Parallel()
	s := newOrdering(t)
	for _, step := range []struct {
		name    string
		in      entry.Arrangement
		want    string
		changed int
	}{
		{"an order arranges what it lists", s.order("c a"), "c a | e d b", 2},
		{"the same order changes nothing", s.order("c a"), "c a | e d b", 0},
		{"a move inside", s.move("a", "before", "c"), "a c | e d b", 1},
		{"a move in from outside", s.move("b", "after", "a"), "a b c | e d", 1},
		{"to where it stands", s.move("b", "before", "c"), "a b c | e d", 0},
		{"beside one that is not arranged arranges what stands before that", s.move("a", "after", "d"), "b c e d a", 3},
		{"an order unarranges the others", s.order("e"), "e | d c b a", 5},
		{"an empty order unarranges all", s.order(""), "e d c b a", 1},
		{"before the first of all", s.move("a", "before", "e"), "a e | d c b", 2},
	} {
		changed, err := s.reorder(step.in)
		s.OK(err)
		if got := s.read(); got != step.want || len(changed) != step.changed {
			t.Fatalf("%s: %s with %d changes, want %s with %d", step.name, got, len(changed), step.want, step.changed)
		}
	}
	if n := entrytest.One[int](s.Bed, `SELECT count(*) FROM change WHERE kind = 'rank'`); n != 7 {
		t.Fatalf("%d changes in the log", n)
	}
}

func TestReorderRefusals(t *testing.T) {
	t.Parallel()
	s := newOrdering(t)
	post := s.Published("posts", `{"title": "x"}`).ID
	for _, in := range []entry.Arrangement{
		{}, {Order: []content.EntryID{post}}, {Order: []content.EntryID{s.ids["a"], s.ids["a"]}},
		{Move: &entry.Move{Entry: s.ids["a"]}}, {Move: &entry.Move{Entry: s.ids["a"], Before: s.ids["a"]}},
		{Move: &entry.Move{Entry: s.ids["a"], Before: s.ids["b"], After: s.ids["c"]}}, {Move: &entry.Move{Entry: post, Before: s.ids["b"]}},
		{Move: &entry.Move{Entry: s.ids["a"], Before: post}},
	} {
		_, err := s.reorder(in)
		s.Refused(err, fault.ValidationFailed)
	}
	_, err := entry.Reorder(t.Context(), s.Pool, s.Actor, s.ID, "odd", s.order("a"))
	s.Refused(err, fault.NotFound)
}

func TestManyMovesToOnePlaceKeepRanksShort(t *testing.T) {
	t.Parallel()
	s := newOrdering(t)
	_, err := s.reorder(s.order("a b c d e"))
	s.OK(err)
	for i := range 300 {
		name := []string{"c", "d"}[i%2]
		_, err := s.reorder(s.move(name, "after", "a"))
		s.OK(err)
	}
	if got := s.read(); got != "a d c b e" {
		t.Fatal(got)
	}
	if n := entrytest.One[int](s.Bed, `SELECT max(length(rank)) FROM entry`); n > 48 {
		t.Fatalf("a rank of %d digits", n)
	}
}

func TestRacingMovesKeepEveryEntryOnce(t *testing.T) {
	t.Parallel()
	s := newOrdering(t)
	_, err := s.reorder(s.order("a b c d e"))
	s.OK(err)
	var group sync.WaitGroup
	for _, name := range []string{"b", "c", "d", "e"} {
		group.Go(func() {
			for range 10 {
				if _, err := s.reorder(s.move(name, "after", "a")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := entrytest.One[int](s.Bed, `SELECT count(DISTINCT rank) FROM entry WHERE rank IS NOT NULL`); n != 5 || !strings.HasPrefix(s.read(), "a ") {
		t.Fatalf("%d ranks, %s", n, s.read())
	}
}
