package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/search"
)

// BenchmarkSearch searches markdown of about 2 KB, whose words are as frequent as words of a language are: w1 is in nearly every
// document.
func BenchmarkSearch(b *testing.B) {
	bm := newBench(b, 0)
	bm.feed.next(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 2, Label: "posts",
		Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"},"rating":{"type":"number"},"body":{"type":"markdown"}}}`),
	}}})
	words := rand.NewZipf(bm.rng, 1.1, 3, 5000)
	item := func(n int) *recordpb.Item {
		item := bm.item(uint64(n))
		var body strings.Builder
		for i := 0; body.Len() < 1900; i++ {
			fmt.Fprintf(&body, "w%d", words.Uint64()+1)
			body.WriteString([]string{" ", " ", " ", " ", ", ", ". ", `\n\n`}[bm.rng.IntN(7)])
		}
		item.Fields = fmt.Appendf(nil, `{"title":"Post %d","rating":%d,"body":"%s"}`, n, bm.rng.IntN(100), body.String())
		return item
	}
	n := benchEntries()
	for first := 0; first < n; first += 10_000 {
		r := bm.release()
		for i := first; i < min(n, first+10_000); i++ {
			r.Items = append(r.Items, item(i))
		}
		bm.feed.next(record.KindRelease, r)
	}
	bm.feed.load(b, bm.s)
	bm.feed.changes = bm.feed.changes[:0]
	head := uint64(n+9_999)/10_000 + 1
	r := &recordpb.Release{Number: head, PublishedMs: int64(head) * 1000}
	for i := range n / 100 {
		r.Items = append(r.Items, item(i*100))
	}
	bm.feed.apply(b, bm.s, record.KindRelease, r)
	for _, at := range []struct {
		name string
		pin  uint64
	}{{"head", 0}, {"pin", head - 1}} {
		for _, q := range []struct{ name, text, order string }{
			{"a frequent word", "w5", ""},
			{"a word in one of 200", "w1500", ""},
			{"two words", "w40 w90", ""},
			{"two words by rating", "w40 w90", "rating"},
			{"a phrase", `"w40 w90"`, ""},
			{"a phrase of frequent words", `"w5 w8"`, ""},
			{"an exclusion", "w40 -w5", ""},
		} {
			b.Run(at.name+"/"+q.name, func(b *testing.B) { bm.search(b, at.pin, q.text, q.order) })
		}
	}
	next := head
	b.Run("publish one", func(b *testing.B) {
		for b.Loop() {
			next++
			bm.feed.apply(b, bm.s, record.KindRelease, &recordpb.Release{Number: next, PublishedMs: int64(next) * 1000, Items: []*recordpb.Item{item(bm.rng.IntN(n))}})
		}
	})
}

// search measures the first page of a list that searches.
func (b *bench) search(bb *testing.B, pin uint64, text, order string) {
	ctx := context.Background()
	bb.ReportAllocs()
	rows := 0
	for bb.Loop() {
		v := b.view(bb)
		frame, err := v.Frame(ctx, "posts", pin)
		if err != nil {
			bb.Fatal(err)
		}
		q := read.ListQuery{Collection: "posts", Pin: pin, Limit: 25, Frame: &frame}
		if q.Search, err = search.Parse(text); err != nil {
			bb.Fatal(err)
		}
		if _, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), "", nil, query.OrderBy{Field: order}); err != nil {
			bb.Fatal(err)
		}
		page, err := v.List(ctx, q)
		if err != nil {
			bb.Fatal(err)
		}
		rows = len(page.Rows)
		v.Close()
	}
	bb.ReportMetric(float64(rows), "rows")
}
