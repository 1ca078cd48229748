package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

const benchFindSchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","localized":true},"slug":{"type":"slug"},` +
	`"category":{"type":"text"},"status":{"type":"text"},"author":{"type":"text"},"rating":{"type":"number"},"flag":{"type":"boolean"},` +
	`"day":{"type":"date"},"at":{"type":"datetime"},"body":{"type":"markdown"}}}`

// findItem is an entry with fields of few, some and very many values.
func (b *bench) findItem(n uint64) *recordpb.Item {
	item := b.item(n)
	r := b.rng
	item.Fields = fmt.Appendf(nil, `{"title":{"de":"Titel %06d","en":"title %06d"},"category":"c%d","status":"s%d","author":"author %d","rating":%d.%02d,`+
		`"flag":%v,"day":"20%02d-%02d-%02d","at":"2024-01-01T%02d:%02d:%02d.%06dZ","body":"%s"}`,
		r.IntN(1_000_000), r.IntN(1_000_000), r.IntN(8), r.IntN(5), r.IntN(b.n/50+1), r.IntN(100), r.IntN(100), r.IntN(2) == 0,
		r.IntN(25), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1_000_000),
		strings.Trim(string(benchFields(r, 1500)[10:]), `"}`))
	return item
}

// newFindBench is a project of benchEntries entries, of which the last release published a hundredth once more.
func newFindBench(tb testing.TB) *bench {
	b := newBench(tb, 0)
	b.n = benchEntries()
	b.feed.next(record.KindProject, &recordpb.Project{
		Id: b.feed.id, Organization: string(readtest.Organization(1)), Slug: "bench", PublicApiEnabled: true, FromRelease: 1,
		Locales: []string{"en", "de"}, DefaultLocale: "en",
	})
	b.feed.next(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 2, Label: "posts", Canonical: []byte(benchFindSchema),
	}}})
	for first := 0; first < b.n; first += 10_000 {
		r := b.release()
		for i := first; i < min(b.n, first+10_000); i++ {
			r.Items = append(r.Items, b.findItem(uint64(i)))
		}
		b.feed.next(record.KindRelease, r)
	}
	b.feed.load(tb, b.s)
	b.feed.changes = b.feed.changes[:0]
	return b
}

func BenchmarkFinds(b *testing.B) {
	bm := newFindBench(b)
	head := uint64(bm.n+9_999)/10_000 + 1
	r := &recordpb.Release{Number: head, PublishedMs: int64(head) * 1000}
	for i := range bm.n / 100 {
		r.Items = append(r.Items, bm.findItem(uint64(i*100)))
	}
	bm.feed.apply(b, bm.s, record.KindRelease, r)
	for _, at := range []struct {
		name string
		pin  uint64
	}{{"head", 0}, {"pin", head - 1}} {
		for _, bench := range []struct{ name, locale, filters, order string }{
			{"all by -at", "", "", "-at"},
			{"all by title", "de", "", "title"},
			{"all by flag", "", "", "flag"},
			{"all by -flag", "", "", "-flag"},
			{"category", "", "category==c3", ""},
			{"author", "", "author==author 7", ""},
			{"author by -day", "", "author==author 7", "-day"},
			{"category, status by -day", "", "category==c3&status==s1", "-day"},
			{"category, status by flag", "", "category==c3&status==s1", "flag"},
			{"rating above 90", "", "rating>90", ""},
			{"rating above 10", "", "rating>10", ""},
			{"rating above 90 by -rating", "", "rating>90", "-rating"},
			{"rating 50 to 51 by at", "", "rating>50&rating<51", "at"},
			{"category, days by -day", "", "category==c3&day>2010-01-01&day<2012-01-01", "-day"},
		} {
			b.Run(at.name+"/"+bench.name, func(b *testing.B) { bm.find(b, at.pin, bench.locale, bench.filters, bench.order) })
		}
	}
}

// find measures the first page of a list, binding included.
func (b *bench) find(bb *testing.B, pin uint64, locale, filters, order string) {
	var raw []query.Filter
	for part := range strings.SplitSeq(filters, "&") {
		for op, mark := range map[query.Op]string{query.OpEqual: "==", query.OpGreater: ">", query.OpLess: "<"} {
			if field, text, ok := strings.Cut(part, mark); ok {
				raw = append(raw, query.Filter{Field: field, Op: op, Text: text})
			}
		}
	}
	by, descending := strings.CutPrefix(order, "-")
	ctx := context.Background()
	bb.ReportAllocs()
	began, rounds := threadTime(), 0
	for bb.Loop() {
		rounds++
		v := b.view(bb)
		frame, err := v.Frame(ctx, "posts", pin)
		if err != nil {
			bb.Fatal(err)
		}
		q := read.ListQuery{Collection: "posts", Pin: pin, Limit: 25, Frame: &frame, Locale: locale}
		q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), locale, raw, query.OrderBy{Field: by, Descending: descending})
		if err != nil {
			bb.Fatal(err)
		}
		page, err := v.List(ctx, q)
		if err != nil || len(page.Rows) != 25 {
			bb.Fatal(len(page.Rows), err)
		}
		v.Close()
	}
	bb.ReportMetric(float64(threadTime()-began)/float64(rounds), "cpu-ns/op")
}
