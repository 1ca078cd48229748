package readtest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"svc/shared/read"
)

// compare reads the head, for 0, and releases, of which some were left out.
func (g *gambler) compare(pins ...uint64) {
	t := g.real.T
	t.Helper()
	real, model := g.real.open(), g.model.open()
	defer real.Close()
	defer model.Close()
	reads := g.reads()
	for _, pin := range pins {
		if t.Failed() || pin > model.Head().Number {
			return
		}
		reads.questions = g.questions(model, pin)
		want := answers(t, &reads, model, pin)
		alike(t, answers(t, &reads, real, pin), want)
		reads.Cache = g.cache
		alike(t, answers(t, &reads, real, pin), want)
		reads.Cache = nil
		g.compareRows(real, model, pin)
	}
}

// reads are all that is always asked.
func (g *gambler) reads() Reads {
	reads := Reads{Project: g.real.settings.ID, Collections: []string{"posts"}, Limit: 1 + g.IntN(5)}
	for n := range uint64(15) {
		reads.Entries = append(reads.Entries, Entry(n))
		reads.Slugs = append(reads.Slugs, fmt.Sprintf("s%d", n))
	}
	return reads
}

// compareRows compares what the views hold for one collection.
func (g *gambler) compareRows(real, model read.View, pin uint64) {
	t := g.real.T
	t.Helper()
	limit := 1 + g.IntN(6)
	same(t, fmt.Sprintf("the list at %d in pages of %d", pin, limit), walk(t, real, "posts", pin, limit), walk(t, model, "posts", pin, limit))
	same(t, fmt.Sprintf("the frame at %d", pin), frameOf(t, real, pin), frameOf(t, model, pin))
	for n := range uint64(16) {
		same(t, fmt.Sprintf("entry %d at %d", n, pin), byID(t, real, n, pin), byID(t, model, n, pin))
	}
	for n := range 19 {
		slug := fmt.Sprintf("s%d", n)
		same(t, fmt.Sprintf("%s at %d", slug, pin), bySlug(t, real, slug, pin), bySlug(t, model, slug, pin))
		if bySlug(t, model, slug, pin) == nil {
			same(t, fmt.Sprintf("where %s leads at %d", slug, pin), former(t, real, slug, pin), former(t, model, slug, pin))
		}
	}
}

// questions draws reads of what is declared at a release, and more of them at the head.
func (g *gambler) questions(v read.View, pin uint64) (all []question) {
	n := 20
	if pin == 0 {
		n = 60
	}
	for range n {
		collection := []string{"posts", "posts", "notes"}[g.IntN(3)]
		frame, err := v.Frame(g.real.Context(), collection, pin)
		g.real.must(err)
		all = append(all, drawQuestion(g.Rand, collection, &frame))
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

// alike compares the answers to all reads.
func alike(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("a reader gets\n%s\nand should get\n%s", got[i], want[i])
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
}

func answers(t *testing.T, s *Reads, v read.View, pin uint64) []string {
	t.Helper()
	lines, err := s.Answers(t.Context(), v, pin)
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
