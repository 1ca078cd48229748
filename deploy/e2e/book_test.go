package e2e

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/wire"
)

// mostPins is at how many releases every node's answers are held against the book.
const mostPins = 100

// holds compares everything with the book of the writers: core's releases are those booked, each once, in the order of
// their times; core and the edges hold the same; and at each release every node reads what had been published by then.
func (b *bed) holds(book map[uint64]booked, nodes ...node.Node) {
	b.t.Helper()
	b.check(b.matches(book))
	head, began := uint64(len(book)), time.Now()
	b.await(head, "posts", nodes...)
	b.t.Logf("every node has release %d after %s", head, time.Since(began).Round(time.Millisecond))
	var edges []node.Node
	for _, n := range nodes {
		if n.Name != "core" && n.Name != "core-2" {
			edges = append(edges, n)
		}
	}
	b.agree([]string{"posts"}, edges...)
	bodies, release := map[string]string{}, uint64(0)
	for _, pin := range spread(head, mostPins) {
		for release < pin {
			release++
			for slug, body := range book[release].bodies {
				bodies[slug] = body
			}
		}
		path := b.list("posts") + "?limit=100&at=" + strconv.FormatUint(pin, 10)
		b.check(reads(b.same(nodes, path), bodies))
	}
}

// matches compares core's list of releases with the book.
func (b *bed) matches(book map[uint64]booked) error {
	releases, err := b.api.Releases(b.t.Context(), b.project.Slug)
	if err != nil {
		return err
	}
	if len(releases) != len(book) {
		return fmt.Errorf("core has %d releases, %d were acknowledged", len(releases), len(book))
	}
	var later wire.Release
	for i, r := range releases { // the newest first
		if want := uint64(len(book) - i); r.Number != want {
			return fmt.Errorf("release %d is number %d", want, r.Number)
		}
		if book[r.Number].set != string(r.ChangeSet) {
			return fmt.Errorf("release %d is the set %s; acknowledged was %s", r.Number, string(r.ChangeSet), book[r.Number].set)
		}
		if want := book[r.Number].items; r.ItemCount != want {
			return fmt.Errorf("release %d has %d items, not %d", r.Number, r.ItemCount, want)
		}
		if i > 0 && !r.PublishedAt.Before(later.PublishedAt.Time) {
			return fmt.Errorf("release %d is of %s, release %d of %s", r.Number, r.PublishedAt, later.Number, later.PublishedAt)
		}
		later = r
	}
	return nil
}

// reads holds a list against the bodies of its entries, by slug.
func reads(answer node.Answer, bodies map[string]string) error {
	page, err := answer.Page()
	if err != nil {
		return err
	}
	if len(page.Entries) != len(bodies) || page.Next != "" {
		return fmt.Errorf("%s has %d entries, not %d", answer.Path, len(page.Entries), len(bodies))
	}
	for _, e := range page.Entries {
		var got post
		if err := json.Unmarshal(e.Fields, &got); err != nil {
			return err
		}
		if want, known := bodies[got.Slug]; !known || got.Body != want {
			return fmt.Errorf("%s: %s reads %.40q, not %.40q", answer.Path, got.Slug, got.Body, want)
		}
	}
	return nil
}
