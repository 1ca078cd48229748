package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// republished is a project of a few entries that are published again and again. It knows what every entry was at some
// releases.
type republished struct {
	t       testing.TB
	s       *Store
	feed    *feed
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

// inMemory is a store without a disk.
func inMemory() Config {
	return Config{Dir: "/store", MemoryBudget: MinMemoryBudget, Logger: quiet(), fs: vfs.NewMem()}
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
		t: t, s: s, feed: newFeed(string(readtest.Project(1))), rng: rng,
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
		if len(p.then) < 50 || p.rng.IntN(20) == 0 {
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

// settle lets Pebble do what it would have done by itself before long.
func (p *republished) settle() {
	p.t.Helper()
	lower, _ := layout.Generation(0).Span()
	_, upper := layout.Generation(1 << 32).Span()
	if err := p.s.db.Compact(p.t.Context(), lower, upper, false); err != nil {
		p.t.Fatal(err)
	}
}

// steps is what a list at the head, which is 0, or at a release takes of Pebble, as stepsOf counts.
func (p *republished) steps(release uint64, limit int) int {
	p.t.Helper()
	v, err := p.s.Open(p.t.Context(), "shop")
	if err != nil {
		p.t.Fatal(err)
	}
	defer v.Close()
	before := 0
	for range 2 { // the first list of a moment reads what is remembered for the next
		before = v.(*view).r.Steps()
		if page, err := v.List(p.t.Context(), read.ListQuery{Collection: "posts", Pin: release, Limit: limit}); err != nil || len(page.Rows) != limit {
			p.t.Fatalf("a list at release %d has %d rows, %v", release, len(page.Rows), err)
		}
	}
	return v.(*view).r.Steps() - before
}

// stepsToSeek are at most what one row costs that is sought, by the measure of steps.
const stepsToSeek = 36

// A hundred entries are published again and again. Lists of them, at the head and at every release since the first, take at
// most one seek for each row, however often it was published, more than lists of entries that were published once, when Pebble has
// compacted what was written. When all entries are deleted then, old releases still read whole, and in as few steps.
func TestListsStayShortWhenEntriesAreRepublished(t *testing.T) {
	t.Parallel()
	rng := testrand.New(t)
	fresh, p := newRepublishedIn(t, rng, inMemory()), newRepublishedIn(t, rng, inMemory())
	for _, each := range []*republished{fresh, p} {
		each.publish(each.all()...)
		each.keep()
	}
	fresh.publish(fresh.item(50))
	fresh.settle()
	check := func(when string, head bool) {
		t.Helper()
		p.wantAll()
		p.settle()
		for _, limit := range []int{25, 100} {
			want := func(release, likeFresh uint64) {
				t.Helper()
				most := fresh.steps(likeFresh, limit) + stepsToSeek*limit
				if n := p.steps(release, limit); n > most {
					t.Errorf("%s a list of %d at release %d takes %d steps, at most %d are allowed", when, limit, release, n, most)
				}
			}
			if head {
				want(0, 0)
			}
			for _, release := range []uint64{1, 2, 7, 1 + p.release/10, p.release / 2, p.release - 2} {
				want(release, 1)
			}
			for range 5 {
				want(1+p.rng.Uint64N(p.release-2), 1)
			}
		}
	}
	done := 0
	for _, times := range []int{3, 30} {
		p.republish((times - done) * testrand.Scale)
		done = times
		check(fmt.Sprintf("after %d times", times*testrand.Scale), true)
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
	check("after all were deleted", false)
}
