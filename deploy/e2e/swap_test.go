package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"svc/bench/node"
	"svc/deploy/local/localtest"
	"svc/shared/testrand"
)

// swapEntries is how many entries there are, and how many the longest ring has.
var swapEntries = localtest.Size(30, 100)

// TestSlugsPassedOnInsideOneRelease: entries of one release pass their slugs on, in rings of two and of all of them, and in chains at whose
// ends an entry leaves and another comes. On core and on both edges every slug leads to the entry that had it, at every
// release and now; and a slug that no one has now leads to what its last entry is called.
func TestSlugsPassedOnInsideOneRelease(t *testing.T) {
	b := newBed(t, posts)
	s := newSwaps(b, testrand.New(t), swapEntries)
	for _, size := range ringSizes(s.random) {
		s.release(func() { s.ring(size) })
		s.release(s.chain)
		s.release(func() { s.vacate(); s.ring(2 + s.random.IntN(9)) })
	}
	b.await(uint64(len(s.then)-1), "posts", b.nodes()...)
	for pin := range s.then {
		s.compare(pin)
	}
	s.former()
	b.agree([]string{"posts"}, b.edges()...)
}

// ringSizes are the sizes of the rings: both ends and some between, or all of them in a long test.
func ringSizes(random *rand.Rand) []int {
	var all []int
	for n := 4; n < swapEntries; n++ {
		all = append(all, n)
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append([]int{2, 3, swapEntries}, all[:min(localtest.Size(1, 20), len(all))]...)
}

// swaps is a collection whose entries pass their slugs on.
type swaps struct {
	*bed
	random *rand.Rand
	set    string
	fresh  int // counts slugs that no one ever had

	slugs map[string]string   // of live entries, as the change set under way leaves them
	then  []map[string]string // the same at each release; none at 0
	held  map[string][]string // entries that were published with a slug, in order
}

func newSwaps(b *bed, random *rand.Rand, entries int) *swaps {
	s := &swaps{bed: b, random: random, slugs: map[string]string{}, then: []map[string]string{{}}, held: map[string][]string{}}
	s.release(func() {
		for range entries {
			s.arrive(s.newSlug())
		}
	})
	return s
}

// release does something in one change set, publishes it and remembers who has which slug.
func (s *swaps) release(do func()) {
	s.t.Helper()
	s.set = s.bed.set("Swap")
	do()
	if got, want := s.publish(s.set), uint64(len(s.then)); got != want {
		s.t.Fatalf("the release is number %d, not %d", got, want)
	}
	before := s.then[len(s.then)-1]
	for id, slug := range s.slugs {
		if before[id] != slug {
			s.held[slug] = append(s.held[slug], id)
		}
	}
	s.then = append(s.then, maps.Clone(s.slugs))
}

func (s *swaps) newSlug() string {
	s.fresh++
	return fmt.Sprintf("slug-%d", s.fresh)
}

func (s *swaps) arrive(slug string) {
	s.t.Helper()
	s.slugs[s.create(s.set, "posts", post{Title: "Entry", Slug: slug})] = slug
}

// take gives an entry a slug that is free by now: never had, or given away or left in this change set.
func (s *swaps) take(id, slug string) {
	s.t.Helper()
	s.patch(s.set, id, map[string]string{"slug": slug})
	s.slugs[id] = slug
}

func (s *swaps) leave(id string) {
	s.t.Helper()
	away := s.api.UnpublishEntry
	if s.random.IntN(2) == 0 {
		away = s.api.DeleteEntry
	}
	_, err := away(s.t.Context(), s.project.Slug, id, s.set)
	s.check(err)
	delete(s.slugs, id)
}

// some draws live entries, all different.
func (s *swaps) some(n int) []string {
	ids := slices.Sorted(maps.Keys(s.slugs))
	s.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:n]
}

// ring passes the slugs of n entries on, each to the one before and that of the first to the last. The first steps aside
// meanwhile, since a change set holds a slug once.
func (s *swaps) ring(n int) {
	s.t.Helper()
	ids := s.some(n)
	var had []string
	for _, id := range ids {
		had = append(had, s.slugs[id])
	}
	s.take(ids[0], s.newSlug())
	for i := n - 1; i >= 0; i-- {
		s.take(ids[i], had[(i+1)%n])
	}
}

// chain has an entry leave, some take the slug of the one before each, and a new one take the slug that is left.
func (s *swaps) chain() {
	s.t.Helper()
	ids := s.some(2 + s.random.IntN(9))
	free := s.slugs[ids[0]]
	s.leave(ids[0])
	for _, id := range ids[1:] {
		own := s.slugs[id]
		s.take(id, free)
		free = own
	}
	s.arrive(free)
}

// vacate gives an entry a new slug, another its old one, and leaves that one's to no one.
func (s *swaps) vacate() {
	s.t.Helper()
	ids := s.some(2)
	free := s.slugs[ids[0]]
	s.take(ids[0], s.newSlug())
	s.take(ids[1], free)
}

// compare holds the list, every entry by its id and every slug there ever was against a release; 0 is now.
func (s *swaps) compare(pin int) {
	s.t.Helper()
	want, query := s.then[pin], url.Values{"limit": {"100"}}
	at := ""
	if pin > 0 {
		query.Set("at", strconv.Itoa(pin))
		at = "?at=" + query.Get("at")
	} else {
		want = s.slugs
	}
	listed := map[string]string{}
	s.check(s.core.Walk(s.t.Context(), s.project.Slug, "posts", query, func(first node.Answer, page node.Page) error {
		s.same(s.nodes(), first.Path)
		for _, e := range page.Entries {
			listed[e.ID] = *e.Slug
		}
		return nil
	}))
	if !maps.Equal(listed, want) {
		s.t.Fatalf("the list at %d has other slugs: %v, not %v", pin, listed, want)
	}
	owner := map[string]string{}
	for id, slug := range want {
		owner[slug] = id
	}
	for slug := range s.held {
		answer := s.same(s.nodes(), s.single("posts", slug)+at)
		if owner[slug] == "" {
			if answer.Status != http.StatusNotFound {
				s.t.Fatalf("%s at %d answers %d: %.200s", slug, pin, answer.Status, answer.Body)
			}
			continue
		}
		e, err := answer.Entry()
		s.check(err)
		if e.ID != owner[slug] || *e.Slug != slug {
			s.t.Fatalf("%s at %d is %s with slug %s, not %s", slug, pin, e.ID, *e.Slug, owner[slug])
		}
		byID, err := s.same(s.nodes(), s.single("posts", e.ID)+at).Entry()
		s.check(err)
		if *byID.Slug != slug {
			s.t.Fatalf("%s at %d has slug %s, not %s", e.ID, pin, *byID.Slug, slug)
		}
	}
}

// former holds where slugs that no one has now lead against who was published with them.
func (s *swaps) former() {
	s.t.Helper()
	taken := map[string]bool{}
	for _, slug := range s.slugs {
		taken[slug] = true
	}
	led := 0
	for slug, ids := range s.held {
		if taken[slug] {
			continue
		}
		want := ""
		for _, id := range slices.Backward(ids) {
			if want = s.slugs[id]; want != "" {
				led++
				break
			}
		}
		if got := s.refused(s.nodes(), s.single("posts", slug), http.StatusNotFound, "NOT_FOUND").CanonicalSlug; got != want {
			s.t.Fatalf("%s leads to %q, not to %q", slug, got, want)
		}
	}
	if led == 0 {
		s.t.Error("no former slug leads anywhere")
	}
}
