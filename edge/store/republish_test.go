package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// scale is how many times as much the long tests do than they do by default (SVC_TEST_SCALE).
func scale() int {
	if n, err := strconv.Atoi(os.Getenv("SVC_TEST_SCALE")); err == nil && n > 0 {
		return n
	}
	return 1
}

// seed returns the seed of a random test: SVC_TEST_SEED where that is set. It is printed.
func seed(t *testing.T) uint64 {
	n, err := strconv.ParseUint(os.Getenv("SVC_TEST_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("SVC_TEST_SEED=%d", n)
	return n
}

// republished is a project of a few entries that are published again and again. It knows what every entry was at some
// releases.
type republished struct {
	t       testing.TB
	s       *Store
	feed    *feed
	engine  *read.Engine
	rng     *rand.Rand
	release uint64
	now     []uint64            // by entry: the release that published it last
	then    map[uint64][]uint64 // the same at some releases
}

const (
	republishedEntries = 100
	republishedSchema  = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"},"body":{"type":"markdown"}}}`
)

func newRepublished(t testing.TB, rng *rand.Rand) *republished {
	return newRepublishedIn(t, rng, Config{Dir: t.TempDir(), Logger: quiet()})
}

func newRepublishedIn(t testing.TB, rng *rand.Rand, cfg Config) *republished {
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &republished{
		t: t, s: s, feed: newFeed(string(readtest.Project(1))), engine: &read.Engine{Store: s, Keys: s, Now: time.Now}, rng: rng,
		now: make([]uint64, republishedEntries), then: map[uint64][]uint64{},
	}
	p.apply(record.KindProject, &recordpb.Project{
		Id: p.feed.id, Organization: string(readtest.Organization(1)), Slug: "shop", PublicApiEnabled: true, FromRelease: 1, CursorKey: make([]byte, 32),
	})
	p.apply(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 1, Label: "posts", Canonical: []byte(republishedSchema),
	}}})
	return p
}

// apply gives the store a change as a follower does.
func (p *republished) apply(kind record.Kind, body proto.Message) {
	p.t.Helper()
	p.feed.apply(p.t, p.s, kind, body)
	p.feed.changes = p.feed.changes[:0]
}

func (p *republished) publish(items ...*recordpb.Item) {
	p.t.Helper()
	p.release++
	p.apply(record.KindRelease, &recordpb.Release{Number: p.release, PublishedMs: int64(p.release) * 1000, Items: items})
}

// item is an entry as it is published next.
func (p *republished) item(entry int) *recordpb.Item {
	p.now[entry] = p.release + 1
	return &recordpb.Item{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(uint64(entry)), Collection: "posts", Slug: fmt.Sprintf("post-%d", entry),
		Revision: string(readtest.Revision(p.release + 1)), SchemaVersion: 1, Fields: p.fields(entry, p.release+1),
	}
}

// fields are about half a kilobyte, and tell entry and release; so do titles, by which lists can be filtered and ordered.
func (p *republished) fields(entry int, release uint64) []byte {
	rng := rand.New(rand.NewPCG(uint64(entry), release))
	b := fmt.Appendf(make([]byte, 0, 512), `{"title":"%d in release %d","body":"`, entry, release)
	for len(b) < 500 {
		b = strconv.AppendUint(append(b, " word "...), rng.Uint64(), 36)
	}
	return append(b, `"}`...)
}

func (p *republished) all() (items []*recordpb.Item) {
	for i := range p.now {
		items = append(items, p.item(i))
	}
	return items
}

// keep remembers the release just published, to be read later.
func (p *republished) keep() { p.then[p.release] = slices.Clone(p.now) }

// republish publishes every entry so often: one after another, in any order, or one of them many times in a row; and once
// there are some releases, more often all of them in each.
func (p *republished) republish(times int) {
	p.t.Helper()
	left := times * republishedEntries
	for left > 0 {
		run := min(left, republishedEntries*(1+p.rng.IntN(20)))
		left -= run
		ways := 3
		if p.release > 10*republishedEntries {
			ways = 9
		}
		one, way := p.rng.IntN(republishedEntries), p.rng.IntN(ways)
		for i := 0; i < run && way > 2; i += republishedEntries {
			p.publish(p.all()...)
		}
		for i := 0; i < run && way <= 2; i++ {
			switch way {
			case 0:
				one = i % republishedEntries
			case 1:
				one = p.rng.IntN(republishedEntries)
			}
			p.publish(p.item(one))
		}
		if len(p.then) < 200 || p.rng.IntN(20) == 0 {
			p.keep()
		}
	}
	p.keep()
}

// wantAll compares a list at every remembered release with what was published.
func (p *republished) wantAll() {
	p.t.Helper()
	v, err := p.s.Open(context.Background(), "shop")
	if err != nil {
		p.t.Fatal(err)
	}
	defer v.Close()
	for release, now := range p.then {
		rows := listAll(p.t, v, "posts", release, 1+p.rng.IntN(100))
		if len(rows) != len(now) {
			p.t.Fatalf("release %d lists %d entries, want %d", release, len(rows), len(now))
		}
		for i, row := range rows {
			entry := len(now) - 1 - i
			if want := p.fields(entry, now[entry]); !bytes.Equal(row.Fields, want) {
				p.t.Fatalf("release %d lists %s, want %s", release, row.Fields, want)
			}
		}
	}
}

// rest waits until Pebble has put in order what was written, for which a busy machine takes its time.
func (p *republished) rest() {
	p.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for idle := 0; idle < 10; idle++ {
		<-ticker.C
		if p.s.db.Metrics().Compact.NumInProgress > 0 {
			idle = 0
		}
	}
}

// list is the public read of a page, at the head or at a release.
func (p *republished) list(release uint64, limit int) {
	r := read.Request{Method: "GET", Route: query.RouteList, Project: "shop", Collection: "posts", RawQuery: fmt.Sprintf("limit=%d", limit)}
	if release > 0 {
		r.RawQuery += fmt.Sprintf("&at=release-%d", release)
	}
	answer := p.engine.Serve(context.Background(), &r)
	if answer.Status != 200 {
		p.t.Fatalf("a list at release %d is answered with %d: %s", release, answer.Status, answer.Body)
	}
	answer.Release()
}

// cost is the least processor time of a list, in nanoseconds, of several that each stand for many.
type cost struct {
	what string
	list func()
	of   *cost // what it is compared with; nil: nothing
	best float64
}

const listsMeasured = 50

func (c *cost) measure() {
	begin := threadTime()
	for range listsMeasured {
		c.list()
	}
	if took := float64(threadTime()-begin) / listsMeasured; c.best == 0 || took < c.best {
		c.best = took
	}
}

// compare measures lists in turns until each is within twice of what it is compared with, or for long.
func compare(t *testing.T, when string, costs []*cost) {
	t.Helper()
	if raceDetector {
		return
	}
	const rounds, enough = 200, 20
	slow := 0
	for round := 0; round < enough || round < rounds && slow > 0; round++ {
		slow = 0
		for _, c := range costs {
			c.measure()
			if c.of != nil && c.best > 2*c.of.best {
				slow++
			}
		}
	}
	var worst *cost
	for _, c := range costs {
		if c.of == nil {
			continue
		}
		ratio := c.best / c.of.best
		if worst == nil || ratio > worst.best/worst.of.best {
			worst = c
		}
		if ratio > 2 {
			t.Errorf("%s: %s takes %.1f µs, %.2f times as long as fresh; at most twice is allowed", when, c.what, c.best/1000, ratio)
		}
	}
	t.Logf("%s the slowest is %s: it takes %.1f µs, %.2f times as long as fresh", when, worst.what, worst.best/1000, worst.best/worst.of.best)
}

// A hundred entries are published ten thousand times each. Lists of them, at the head and at every release since the
// first, take at most twice as long as lists of entries that were published once, when Pebble is done with what was
// written: a million publishes in a few minutes are more than it follows at once. When all entries are deleted then,
// old releases still read whole, and as fast.
func TestListsStayFastWhenEntriesAreRepublished(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed(t), 0))
	fresh, p := newRepublished(t, rng), newRepublished(t, rng)
	for _, each := range []*republished{fresh, p} {
		each.publish(each.all()...)
		each.keep()
	}
	fresh.publish(fresh.item(50))
	fresh.keep()
	measure := func(when string, head bool) {
		t.Helper()
		p.wantAll()
		p.rest()
		var costs []*cost
		for _, limit := range []int{25, 100} {
			freshHead := &cost{list: func() { fresh.list(0, limit) }}
			freshPin := &cost{list: func() { fresh.list(1, limit) }}
			costs = append(costs, freshHead, freshPin)
			if head {
				costs = append(costs, &cost{what: fmt.Sprintf("the head by %d", limit), list: func() { p.list(0, limit) }, of: freshHead})
			}
			old := []uint64{1, 2, 7, 1 + p.release/10, p.release / 2, p.release - 2}
			for range 5 {
				old = append(old, 1+p.rng.Uint64N(p.release-2))
			}
			for _, release := range old {
				costs = append(costs, &cost{what: fmt.Sprintf("release %d by %d", release, limit), list: func() { p.list(release, limit) }, of: freshPin})
			}
		}
		compare(t, when, costs)
	}
	done := 0
	stages := []int{3, 30, 300, 10_000}
	if raceDetector { // whose cost falls on some steps more than on others: `make test` runs this without it too
		stages = stages[:2]
	}
	for _, times := range stages {
		p.republish((times - done) * scale())
		done = times
		measure(fmt.Sprintf("after %d times", times*scale()), true)
	}
	var gone []*recordpb.Item
	for i := range p.now {
		gone = append(gone, &recordpb.Item{Operation: recordpb.Operation_OPERATION_DELETE, Entry: entryText(uint64(i)), Collection: "posts"})
	}
	p.publish(gone...)
	v, err := p.s.Open(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if rows := listAll(t, v, "posts", 0, 100); len(rows) != 0 {
		t.Errorf("%d entries are listed after all were deleted", len(rows))
	}
	v.Close()
	p.release-- // the last that lists anything
	measure("after all were deleted", false)
}
