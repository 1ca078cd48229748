package readtest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"svc/shared/read"
)

func (g *gambler) compare() {
	t := g.real.T
	t.Helper()
	real, model := g.real.view(), g.model.view()
	survey := Survey{Project: g.real.settings.ID, Collections: []string{"posts"}, Limit: 1 + g.IntN(5)}
	for n := range uint64(15) {
		survey.Entries = append(survey.Entries, Entry(n))
		survey.Slugs = append(survey.Slugs, fmt.Sprintf("s%d", n))
	}
	for pin := uint64(0); pin <= model.Head().Number && !t.Failed(); pin++ {
		survey.Queries = g.queries(model, pin)
		want := taken(t, &survey, model, pin)
		alike(t, taken(t, &survey, real, pin), want)
		survey.Cache = g.cache
		alike(t, taken(t, &survey, real, pin), want)
		survey.Cache = nil
		limit := 1 + g.IntN(6)
		same(t, fmt.Sprintf("the list at %d in pages of %d", pin, limit), walk(t, real, "posts", pin, limit), walk(t, model, "posts", pin, limit))
		same(t, fmt.Sprintf("the frame at %d", pin), frameOf(t, real, pin), frameOf(t, model, pin))
		for n := range uint64(16) {
			same(t, fmt.Sprintf("entry %d at %d", n, pin), byID(t, real, n, pin), byID(t, model, n, pin))
		}
		for n := range 19 {
			slug := fmt.Sprintf("s%d", n)
			same(t, fmt.Sprintf("%s at %d", slug, pin), bySlug(t, real, slug, pin), bySlug(t, model, slug, pin))
		}
	}
	for _, pin := range []uint64{0, 1 + g.Uint64N(max(model.Head().Number, 1))} {
		for n := range 19 {
			slug := fmt.Sprintf("s%d", n)
			if bySlug(t, model, slug, pin) == nil {
				same(t, fmt.Sprintf("where %s leads at %d", slug, pin), former(t, real, slug, pin), former(t, model, slug, pin))
			}
		}
	}
}

// queries draws filters and orders for what is declared at a release, and more of them at the head.
func (g *gambler) queries(v read.View, pin uint64) []string {
	frame, err := v.Frame(g.real.Context(), "posts", pin)
	g.real.must(err)
	n := 2
	if pin == 0 {
		n = 12
	}
	var all []string
	for range n {
		all = append(all, DrawQuery(g.Rand, frame.Schema, frame.Locales))
	}
	return all
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func frameOf(t *testing.T, v read.View, pin uint64) string {
	t.Helper()
	frame, err := v.Frame(t.Context(), "posts", pin)
	if err != nil {
		t.Fatal(err)
	}
	if frame.Schema == nil {
		return fmt.Sprint("no schema ", frame.Locales, frame.DefaultLocale)
	}
	return fmt.Sprint(frame.Version, frame.Schema.Hash(), frame.Locales, frame.DefaultLocale)
}

// alike compares two surveys.
func alike(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("a reader gets\n%s\nand should get\n%s", got[i], want[i])
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("a survey has %d answers, want %d", len(got), len(want))
	}
}

func taken(t *testing.T, s *Survey, v read.View, pin uint64) []string {
	t.Helper()
	lines, err := s.Take(t.Context(), v, pin)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func byID(t *testing.T, v read.View, n, pin uint64) any {
	t.Helper()
	row, found, err := v.ByID(t.Context(), "posts", Entry(n), pin)
	return plain(t, row, found, err)
}

func bySlug(t *testing.T, v read.View, slug string, pin uint64) any {
	t.Helper()
	row, found, err := v.BySlug(t.Context(), "posts", slug, pin)
	return plain(t, row, found, err)
}

func plain(t *testing.T, row read.Row, found bool, err error) any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return nil
	}
	row.Key, row.Fields = read.Key{}, slices.Clone(row.Fields)
	return row
}

func former(t *testing.T, v read.View, slug string, pin uint64) string {
	t.Helper()
	got, found, err := v.FormerSlug(t.Context(), "posts", slug, pin)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got, found)
}
