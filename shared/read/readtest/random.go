package readtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/shared/read"
	"svc/shared/testrand"
)

// random makes changes by chance on the subject and on Memory, and holds everything that can be read of the one
// against the other, at the head and at every release.
func random(t *testing.T, s Subject) {
	model := NewMemory()
	cache, err := read.NewCache(256 << 10) // which is too little for all that is asked
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	g := &gambler{
		Rand: testrand.New(t), real: newFixture(t, s, 1), model: newFixture(t, model, 1), slugs: map[uint64]string{}, known: map[uint64]bool{},
		cache: cache,
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
	cache       *read.Cache
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
		for _, n := range slices.Sorted(maps.Keys(g.known)) {
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
