package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// benchEntries is how many entries of about 2 KB the store of a benchmark holds; SVC_BENCH_ENTRIES changes it.
func benchEntries() int {
	if n, err := strconv.Atoi(os.Getenv("SVC_BENCH_ENTRIES")); err == nil {
		return n
	}
	return 20_000
}

// benchFields makes field data of about size bytes that compresses like prose.
func benchFields(rng *rand.Rand, size int) []byte {
	words := []string{"release", "entry", "publish", "the", "a", "of", "snapshot", "edge", "follows", "reader", "writes", "prose", "long", "short"}
	var b strings.Builder
	b.WriteString(`{"title":"`)
	for b.Len() < size {
		b.WriteString(words[rng.IntN(len(words))])
		b.WriteString(strconv.Itoa(rng.IntN(1000)))
		b.WriteByte(' ')
	}
	b.WriteString(`"}`)
	return []byte(b.String())
}

type bench struct {
	s    *Store
	feed *feed
	n    int
	rng  *rand.Rand
	rev  uint64
}

func newBench(tb testing.TB, n int) *bench {
	tb.Helper()
	s, err := New(Config{Dir: tb.TempDir(), Logger: quiet()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	b := &bench{s: s, feed: newFeed(string(readtest.Project(1))), n: n, rng: rand.New(rand.NewPCG(1, 2))}
	b.feed.next(record.KindProject, &recordpb.Project{
		Id: b.feed.id, Organization: string(readtest.Organization(1)), Slug: "bench", PublicApiEnabled: true, FromRelease: 1,
	})
	b.feed.next(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 1, Label: "posts", Canonical: []byte(`{"name":"posts","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}}`),
	}}})
	for first := 0; first < n; first += 10_000 {
		r := b.release()
		for i := first; i < min(n, first+10_000); i++ {
			r.Items = append(r.Items, b.item(uint64(i)))
		}
		b.feed.next(record.KindRelease, r)
	}
	return b
}

func (b *bench) release() *recordpb.Release {
	n := uint64(1)
	for _, c := range b.feed.changes {
		if r, ok := c.Body.(*recordpb.Release); ok {
			n = r.Number + 1
		}
	}
	return &recordpb.Release{Number: n, PublishedMs: int64(n) * 1000, ChangeSet: "chs"}
}

func (b *bench) item(n uint64) *recordpb.Item {
	b.rev++
	return &recordpb.Item{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(n), Collection: "posts", Slug: fmt.Sprintf("post-number-%d", n),
		Revision: string(readtest.Revision(b.rev)), SchemaVersion: 1, Fields: benchFields(b.rng, 2000),
	}
}

func (b *bench) view(tb testing.TB) read.View {
	v, err := b.s.Open(context.Background(), "bench")
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func BenchmarkReads(b *testing.B) {
	n := benchEntries()
	bm := newBench(b, n)
	bm.feed.load(b, bm.s)
	head := bm.release()
	head.Items = append(head.Items, bm.item(uint64(n/2))) // so that an older pin is not the head
	bm.feed.apply(b, bm.s, record.KindRelease, head)
	ctx := context.Background()
	list := func(pin uint64, after func() *read.Key) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v := bm.view(b)
				page, err := v.List(ctx, read.ListQuery{Collection: "posts", Pin: pin, Limit: 25, After: after()})
				if err != nil || len(page.Rows) != 25 {
					b.Fatal(len(page.Rows), err)
				}
				v.Close()
			}
		}
	}
	front := func() *read.Key { return nil }
	anywhere := func() *read.Key {
		return &read.Key{Missing: true, Entry: readtest.Entry(uint64(30 + bm.rng.IntN(n-30)))}
	}
	last := func() *read.Key {
		return &read.Key{Missing: true, Entry: readtest.Entry(uint64(30 + bm.rng.IntN(min(n, 10_000)-30)))}
	}
	b.Run("head/first page", list(0, front))
	b.Run("head/any page", list(0, anywhere))
	b.Run("pin/first page", list(head.Number-1, front))
	b.Run("pin/any page", list(head.Number-1, anywhere))
	b.Run("first release/first page", list(1, front))
	b.Run("first release/any page", list(1, last))
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bm.view(b).Close()
		}
	})
	one := func(read func(v read.View, n uint64) (read.Row, bool, error)) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v := bm.view(b)
				if _, found, err := read(v, uint64(bm.rng.IntN(n))); err != nil || !found {
					b.Fatal(found, err)
				}
				v.Close()
			}
		}
	}
	b.Run("by id", one(func(v read.View, n uint64) (read.Row, bool, error) {
		return v.ByID(ctx, "posts", readtest.Entry(n), 0)
	}))
	b.Run("by slug", one(func(v read.View, n uint64) (read.Row, bool, error) {
		return v.BySlug(ctx, "posts", fmt.Sprintf("post-number-%d", n), 0)
	}))
	b.Run("by slug at a pin", one(func(v read.View, n uint64) (read.Row, bool, error) {
		return v.BySlug(ctx, "posts", fmt.Sprintf("post-number-%d", n), head.Number-1)
	}))
}

func BenchmarkApplySingle(b *testing.B) {
	bm := newBench(b, 1000)
	bm.feed.load(b, bm.s)
	for _, watched := range []bool{false, true} {
		b.Run(fmt.Sprintf("watched %v", watched), func(b *testing.B) {
			b.ReportAllocs()
			next := bm.release().Number
			for i := 0; b.Loop(); i++ {
				r := &recordpb.Release{Number: next, PublishedMs: int64(next) * 1000, Items: []*recordpb.Item{bm.item(uint64(i % 1000))}}
				next++
				bm.feed.apply(b, bm.s, record.KindRelease, r)
				if watched {
					bm.view(b).Close()
				}
			}
		})
	}
}

// BenchmarkApplyLarge applies a release of 10,000 entries of 2 KB.
func BenchmarkApplyLarge(b *testing.B) {
	bm := newBench(b, 10)
	bm.feed.load(b, bm.s)
	next := bm.release().Number
	for b.Loop() {
		b.StopTimer()
		r := &recordpb.Release{Number: next, PublishedMs: int64(next) * 1000}
		next++
		for i := range 10_000 {
			r.Items = append(r.Items, bm.item(uint64(i)))
		}
		c := bm.feed.next(record.KindRelease, r)
		b.StartTimer()
		if err := bm.s.Apply(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	bm := newBench(b, benchEntries())
	for b.Loop() {
		bm.feed.load(b, bm.s)
	}
	b.ReportMetric(float64(bm.n)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
	b.ReportMetric(float64(residentBytes())/(1<<20), "MB-resident")
}

// BenchmarkCrawl reads every page of a list, and says what the process occupies afterwards.
func BenchmarkCrawl(b *testing.B) {
	bm := newBench(b, benchEntries())
	bm.feed.load(b, bm.s)
	bm.feed.changes = nil
	debug.FreeOSMemory() // what only the benchmark needed
	for b.Loop() {
		v := bm.view(b)
		rows := 0
		for q := (read.ListQuery{Collection: "posts", Limit: 100}); ; {
			page, err := v.List(context.Background(), q)
			if err != nil {
				b.Fatal(err)
			}
			rows += len(page.Rows)
			if !page.More {
				break
			}
			after := page.Rows[len(page.Rows)-1].Key
			q.After = &after
			v.Close()
			v = bm.view(b)
		}
		if v.Close(); rows != bm.n {
			b.Fatal(rows)
		}
	}
	b.ReportMetric(float64(residentBytes())/(1<<20), "MB-resident")
}

func residentBytes() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

// threadTime is the processor time of this thread in nanoseconds, which the neighbours of a shared machine do not
// lengthen. The caller's goroutine stays on the thread from then on.
func threadTime() int64 {
	runtime.LockOSThread()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return t.Nano()
}
