package store

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// BenchmarkRepublished lists 100 entries when they are fresh, after each was republished many times
// (SVC_BENCH_REPUBLISH, 200), and at an old pin after all were deleted: none may take twice the first.
func BenchmarkRepublished(b *testing.B) {
	times, err := strconv.Atoi(os.Getenv("SVC_BENCH_REPUBLISH"))
	if err != nil {
		times = 200
	}
	const entries = 100
	bm := newBench(b, entries)
	bm.feed.load(b, bm.s)
	list := func(pin uint64) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			cpu := threadTime()
			defer func() { b.ReportMetric(float64(threadTime()-cpu)/float64(b.N), "cpu-ns/op") }()
			for b.Loop() {
				v := bm.view(b)
				page, err := v.List(context.Background(), read.ListQuery{Collection: "posts", Pin: pin, Limit: 25})
				if err != nil || len(page.Rows) != 25 {
					b.Fatal(len(page.Rows), err)
				}
				v.Close()
			}
		}
	}
	number := uint64(1)
	publish := func(items []*recordpb.Item) {
		number++
		bm.feed.apply(b, bm.s, record.KindRelease, &recordpb.Release{Number: number, PublishedMs: int64(number) * 1000, Items: items})
		bm.feed.changes = nil
	}
	one := func() []*recordpb.Item { return []*recordpb.Item{bm.item(uint64(number) % entries)} }
	publish(one())
	b.Run("fresh head", list(0))
	b.Run("fresh pin", list(1))
	for range times * entries {
		publish(one())
	}
	b.Run("head", list(0))
	b.Run("first pin", list(1))
	b.Run("middle pin", list(number/2))
	b.Run("last pin", list(number-1))
	var gone []*recordpb.Item
	for i := range entries {
		gone = append(gone, &recordpb.Item{Operation: recordpb.Operation_OPERATION_DELETE, Entry: entryText(uint64(i)), Collection: "posts"})
	}
	publish(gone)
	b.Run("first pin after deletion", list(1))
	b.Run("middle pin after deletion", list(number/2))
}

// BenchmarkManyProjects opens a store with SVC_BENCH_PROJECTS (1,000) projects of one release each, and reads them all.
func BenchmarkManyProjects(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SVC_BENCH_PROJECTS"))
	if err != nil {
		n = 1000
	}
	cfg := Config{Dir: b.TempDir(), Logger: quiet()}
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("apply", func(b *testing.B) {
		for b.Loop() {
			for i := range uint64(n) {
				applyProject(b, s, i+1)
			}
		}
	})
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if s, err = New(cfg); err != nil {
				b.Fatal(err)
			}
			if positions, err := s.Positions(context.Background()); err != nil || len(positions) != n {
				b.Fatal(len(positions), err)
			}
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	if s, err = New(cfg); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("read all", func(b *testing.B) {
		for b.Loop() {
			for i := range n {
				v, err := s.Open(context.Background(), fmt.Sprintf("shop-%d", i+1))
				if err != nil {
					b.Fatal(err)
				}
				if page, err := v.List(context.Background(), read.ListQuery{Collection: "posts", Limit: 25}); err != nil || len(page.Rows) != 1 {
					b.Fatal(err)
				}
				v.Close()
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*n)*1e6, "µs/project")
		b.ReportMetric(float64(residentBytes())/(1<<20), "MB-resident")
	})
}

func applyProject(b *testing.B, s *Store, n uint64) {
	b.Helper()
	f := newFeed(string(readtest.Project(n)))
	f.next(record.KindProject, &recordpb.Project{
		Id: f.id, Organization: string(readtest.Organization(1)), Slug: fmt.Sprintf("shop-%d", n), PublicApiEnabled: true, FromRelease: 1,
	})
	f.next(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 1, Label: "posts", Canonical: []byte(`{"name":"posts","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}}`),
	}}})
	f.next(record.KindRelease, &recordpb.Release{Number: 1, PublishedMs: 1000, Items: []*recordpb.Item{{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(n), Collection: "posts", Slug: "post", SchemaVersion: 1,
		Revision: string(readtest.Revision(n)), Fields: []byte(`{"title":"A post"}`),
	}}})
	for _, c := range f.changes {
		if err := s.Apply(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}
