package readtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/shared/read"
	"svc/shared/testrand"
)

// random makes changes by chance on the subject and on Memory, and holds everything that can be read of the one
// against the other, at the head and at every release; and what is read of Memory against the naive reader.
func random(t *testing.T, s Subject) {
	cache, err := read.NewCache(256 << 10) // which is too little for all that is asked
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	g := newGambler(t, s)
	g.cache = cache
	for round := range min(30*testrand.Scale, 120) {
		g.change()
		if round%4 == 3 {
			g.compare(0, 1+g.Uint64N(g.model.release+1), 1+g.Uint64N(g.model.release+1))
		}
	}
	for pin := range g.model.release + 1 {
		g.compare(pin)
	}
}

// newGambler has made a few releases.
func newGambler(t *testing.T, s Subject) *gambler {
	g := &gambler{
		Rand: testrand.New(t), real: newFixture(t, s, 1), model: newFixture(t, NewMemory(), 1), slugs: map[uint64]string{}, known: map[uint64]bool{},
		schemas: map[string]deployed{},
	}
	g.schema("posts")
	g.schema("notes")
	for range 5 {
		g.release()
	}
	return g
}

type gambler struct {
	*rand.Rand
	real, model *fixture
	cache       *read.Cache
	slugs       map[uint64]string // of live entries
	known       map[uint64]bool   // entries that were ever published
	schemas     map[string]deployed
}

// drawEntry draws the number of an entry of a collection: up to 14 of posts, and 21 to 25 of notes.
func drawEntry(r *rand.Rand, collection string) uint64 {
	if collection == "notes" {
		return uint64(21 + r.IntN(5))
	}
	return uint64(1 + r.IntN(14))
}

func collectionOf(n uint64) string {
	if n > 14 {
		return "notes"
	}
	return "posts"
}

func (g *gambler) both(do func(f *fixture)) {
	do(g.model)
	do(g.real)
}

func (g *gambler) change() {
	switch g.IntN(11) {
	case 0:
		g.schema("posts")
	case 10:
		g.schema("notes")
	case 1:
		locales := [][]string{{"en"}, {"en", "de"}, {"de", "fr", "en"}}[g.IntN(3)]
		g.both(func(f *fixture) { f.set(func(s *Settings) { s.Locales, s.DefaultLocale = locales, locales[0] }) })
	case 2, 3:
		ranks := map[uint64]string{}
		for _, n := range slices.Sorted(maps.Keys(g.known)) {
			if collectionOf(n) == "posts" && g.IntN(4) == 0 {
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

// deployed is the shape of a collection, and its version.
type deployed struct {
	shape uint32
	Version
}

// schema deploys a schema, an earlier one perhaps, and sometimes removes the collection before. Most have references and Markdown,
// and half of those of notes are private.
func (g *gambler) schema(collection string) {
	n := uint32(1 + g.IntN(Shapes))
	if g.IntN(3) > 0 {
		n = []uint32{15, 16, 17, 17, 18, 19, 19, 20}[g.IntN(8)]
	}
	v := Shape(collection, n)
	if private := map[string]int{"posts": 1, "notes": 4}[collection]; g.IntN(8) < private {
		public := v.Canonical
		v.Canonical = bytes.Replace(public, []byte(`"visibility":"public"`), []byte(`"visibility":"private"`), 1)
		if !bytes.Equal(v.Canonical, public) { // one schema has one version
			v.Version += 100
		}
	}
	g.schemas[collection] = deployed{n, v}
	removes, deploys := g.IntN(6) == 0, g.IntN(4) > 0
	g.both(func(f *fixture) {
		if removes {
			f.remove(collection)
		}
		if deploys || !removes {
			f.put(v)
		}
	})
}

// release publishes up to eight entries: new ones, edits, new slugs, swaps, departures.
func (g *gambler) release() {
	touched := map[uint64]string{} // slug, or "-" for a departure
	for range 1 + g.IntN(8) {
		n := drawEntry(g.Rand, []string{"posts", "notes"}[g.IntN(2)])
		if _, again := touched[n]; again {
			continue
		}
		if _, live := g.slugs[n]; live && g.IntN(5) == 0 {
			touched[n] = "-"
			continue
		}
		touched[n] = fmt.Sprintf("s%d", g.IntN(18))
	}
	// A slug that two would have stays with the first; an entry that finds its slug taken goes without.
	after := map[uint64]string{}
	taken := map[string]bool{} // by collection and slug
	for n, slug := range g.slugs {
		if _, t := touched[n]; !t {
			after[n], taken[collectionOf(n)+slug] = slug, slug != ""
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
		collection := collectionOf(n)
		if touched[n] == "-" {
			deleted := g.IntN(2) == 0
			items = append(items, func(*fixture) Item { return Item{Entry: Entry(n), Collection: collection, Deleted: deleted} })
			continue
		}
		slug := touched[n]
		if taken[collection+slug] {
			slug = ""
		}
		after[n], taken[collection+slug] = slug, slug != ""
		now := g.schemas[collection]
		items = append(items, func(f *fixture) Item {
			it := f.post(n, slug)
			it.Collection, it.SchemaVersion, it.Fields = collection, now.Version.Version, ShapeFields(now.shape, f.revision)
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
