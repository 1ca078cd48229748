package readtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"svc/shared/read"
)

// random makes changes by chance on the subject and on Memory, and holds everything that can be read of the one
// against the other, at the head and at every release.
func random(t *testing.T, s Subject) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	model := NewMemory()
	g := &gambler{
		Rand: rand.New(rand.NewPCG(seed, 1)), real: newFixture(t, s, 1), model: newFixture(t, model, 1), slugs: map[uint64]string{},
		known: map[uint64]bool{},
	}
	g.schema()
	for round := range 40 {
		g.change()
		if round%16 == 15 {
			g.compare()
		}
	}
	g.compare()
}

type gambler struct {
	*rand.Rand
	real, model *fixture
	slugs       map[uint64]string // of live entries
	known       map[uint64]bool   // entries that were ever published
	shape       uint32
}

func (g *gambler) both(do func(f *fixture)) {
	do(g.model)
	do(g.real)
}

func (g *gambler) change() {
	switch g.IntN(12) {
	case 0, 11:
		g.schema()
	case 1:
		locales := [][]string{{"en"}, {"en", "de"}, {"de", "fr", "en"}}[g.IntN(3)]
		g.both(func(f *fixture) { f.set(func(s *Settings) { s.Locales, s.DefaultLocale = locales, locales[0] }) })
	case 2, 3:
		ranks := map[uint64]string{}
		for n := range g.known {
			if g.IntN(4) == 0 {
				ranks[n] = []string{"", "a", "b", "b0", "c", "zz"}[g.IntN(6)]
			}
		}
		if len(ranks) > 0 {
			g.both(func(f *fixture) { f.rank(ranks) })
		}
	case 4:
		skipped := uint64(1 + g.IntN(3))
		g.both(func(f *fixture) { f.skip(skipped) })
	default:
		g.release()
	}
}

// schema deploys a schema, an earlier one perhaps, and sometimes removes the collection before.
func (g *gambler) schema() {
	g.shape = uint32(1 + g.IntN(Shapes))
	shape, removes, deploys := g.shape, g.IntN(4) == 0, g.IntN(4) > 0
	g.both(func(f *fixture) {
		if removes {
			f.remove("posts")
		}
		if deploys || !removes {
			f.put(Shape("posts", shape))
		}
	})
}

// release publishes up to five entries: new ones, edits, new slugs, swaps, departures.
func (g *gambler) release() {
	touched := map[uint64]string{} // slug, or "-" for a departure
	for range 1 + g.IntN(5) {
		n := uint64(1 + g.IntN(14))
		if _, again := touched[n]; again {
			continue
		}
		if _, live := g.slugs[n]; live && g.IntN(4) == 0 {
			touched[n] = "-"
			continue
		}
		touched[n] = fmt.Sprintf("s%d", g.IntN(18))
	}
	// A slug that two would have stays with the first; an entry that finds its slug taken goes without.
	after := map[uint64]string{}
	taken := map[string]bool{"": false}
	for n, slug := range g.slugs {
		if _, t := touched[n]; !t {
			after[n], taken[slug] = slug, slug != ""
		}
	}
	var order []uint64
	for n := range touched {
		order = append(order, n)
	}
	slices.Sort(order)
	var items []func(f *fixture) Item
	for _, n := range order {
		g.known[n] = true
		if touched[n] == "-" {
			deleted := g.IntN(2) == 0
			items = append(items, func(*fixture) Item { it := gone(n); it.Deleted = deleted; return it })
			continue
		}
		slug := touched[n]
		if taken[slug] {
			slug = ""
		}
		after[n], taken[slug] = slug, slug != ""
		shape := g.shape
		items = append(items, func(f *fixture) Item {
			it := f.post(n, slug)
			it.SchemaVersion, it.Fields = Shape("posts", shape).Version, ShapeFields(shape, f.revision)
			return it
		})
	}
	g.slugs = after
	g.both(func(f *fixture) {
		var all []Item
		for _, make := range items {
			all = append(all, make(f))
		}
		f.publish(all...)
	})
}

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
		alike(t, taken(t, &survey, real, pin), taken(t, &survey, model, pin))
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
