package store

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// BenchmarkPublishOne publishes one of a hundred entries again and again, with the processor time of everything that
// follows from it: the title alone is another each time, or nothing is.
func BenchmarkPublishOne(b *testing.B) {
	for _, c := range []struct {
		name   string
		fields func(p *republished, entry int) []byte
	}{
		{"long title changes", func(p *republished, entry int) []byte { return p.fields(entry, p.release+1) }},
		{"nothing changes", func(p *republished, entry int) []byte { return manyFields(entry, 0) }},
		{"one of eight fields changes", func(p *republished, entry int) []byte { return manyFields(entry, p.release) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newRepublished(b, rand.New(rand.NewPCG(1, 2)))
			p.apply(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
				Name: "posts", Version: 2, Label: "posts", Canonical: []byte(manySchema),
			}}})
			one := func() {
				entry := p.rng.IntN(republishedEntries)
				item := p.item(entry)
				item.Fields = c.fields(p, entry)
				p.publish(item)
			}
			p.publish(p.all()...)
			for range 5000 {
				one()
			}
			before := processTime()
			for b.Loop() {
				one()
			}
			b.ReportMetric(float64(processTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

const manySchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"},"kind":{"type":"text"},` +
	`"author":{"type":"text"},"rating":{"type":"number"},"flag":{"type":"boolean"},"day":{"type":"date"},"at":{"type":"datetime"},"views":{"type":"number"}}}`

func manyFields(entry int, views uint64) []byte {
	return fmt.Appendf(nil, `{"title":"title %d","kind":"k%d","author":"author %d","rating":%d,"flag":true,"day":"2024-01-%02d","at":"2024-01-01T00:00:%02dZ","views":%d}`,
		entry, entry%4, entry%20, entry%7, 1+entry%28, entry%60, views)
}

// processTime is the processor time of the whole process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPublishAll publishes all of a hundred entries in each release.
func BenchmarkPublishAll(b *testing.B) {
	p := newRepublished(b, rand.New(rand.NewPCG(1, 2)))
	for range 50 {
		p.publish(p.all()...)
	}
	before := processTime()
	for b.Loop() {
		p.publish(p.all()...)
	}
	b.ReportMetric(float64(processTime()-before)/float64(b.N)/republishedEntries, "cpu-ns/entry")
}
