package preview_test

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"svc/core/postgres/postgrestest"
	"svc/core/preview/previewtest"
	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// listQuery binds a query string to what is in force at the head.
func listQuery(t *testing.T, v read.View, raw string) read.ListQuery {
	t.Helper()
	parsed, err := query.Parse(query.RouteList, raw)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := v.Frame(t.Context(), "posts", 0)
	if err != nil {
		t.Fatal(err)
	}
	q := read.ListQuery{Collection: "posts", Frame: &frame, Limit: parsed.Limit, Bytes: 4 << 20}
	q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), "", parsed.Filters, parsed.Order)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestListsAreScannedInBoundedMemory lists 60 MB of content by a field and through a filter that only the last entry passes.
func TestListsAreScannedInBoundedMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it writes 60 MB of content: run the tests without -short")
	}
	pool := postgrestest.Open(t)
	s := previewtest.New(pool)
	ref := project(t, s)
	err := s.PutSchema(t.Context(), readtest.Project(1), readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{{
		Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","fields":{"n":{"type":"number"},"body":{"type":"markdown"}}}`),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	const entries, size = 120, 512 << 10
	body := strings.Repeat("words ", size/6)
	for n := uint64(1); n <= entries; n++ {
		err := s.Publish(t.Context(), readtest.Project(1), readtest.Release{
			Release: content.Release{Number: n, PublishedAt: time.UnixMilli(int64(n)).UTC()},
			Items: []readtest.Item{{
				Entry: readtest.Entry(n), Collection: "posts", Revision: readtest.Revision(n), SchemaVersion: 1,
				Fields: fmt.Sprintf(`{"n":%d,"body":%q}`, n*101%entries, body),
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Store().Open(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for raw, want := range map[string]int{"limit=100&order=n": 8, "limit=100&order=-n": 8, "limit=100&filter[n]=101": 1, "limit=2&filter[n][ne]=7": 2} {
		q := listQuery(t, v, raw)
		peak := peakOf(func() {
			page, err := v.List(t.Context(), q)
			if err != nil || len(page.Rows) < want || len(page.Rows) > want+1 {
				t.Errorf("%s: %d rows, %v", raw, len(page.Rows), err)
			}
		})
		t.Logf("%s takes %d MB at its peak", raw, peak>>20)
		if most := uint64(20 << 20); peak > most {
			t.Errorf("%s takes %d MB at its peak, more than %d", raw, peak>>20, most>>20)
		}
	}
}

// peakOf returns by how much the heap grew at most, as it was seen in passing.
func peakOf(do func()) uint64 {
	heap := func() uint64 {
		runtime.GC() // what is garbage does not count, nor what comes before anybody has looked
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		return live[0].Value.Uint64()
	}
	before := heap()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-done:
				peak <- most
				return
			default:
				most = max(most, heap())
			}
		}
	}()
	do()
	close(done)
	if most := <-peak; most > before {
		return most - before
	}
	return 0
}
