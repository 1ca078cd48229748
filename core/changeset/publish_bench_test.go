package changeset_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/entry"
)

// rows yields posts of about 2 KB.
func rows(n int, salt string) iter.Seq2[entry.ImportRow, error] {
	body := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 44)
	return func(yield func(entry.ImportRow, error) bool) {
		for i := range n {
			data := fmt.Sprintf(`{"title": "Post number %d", "body": "%s%s %d"}`, i, body, salt, i)
			if !yield(entry.ImportRow{Data: jsontext.Value(data)}, nil) {
				return
			}
		}
	}
}

func (b *bed) importRows(n int, salt string) *entry.Imported {
	b.Helper()
	out, err := entry.Import(b.Context(), b.Pool, b.Actor, b.ID, "posts", entry.ImportOptions{}, rows(n, salt))
	b.OK(err)
	return out
}

// The largest release there is, of entries of 2 KB: creations first, updates from then on.
func BenchmarkPublish10000(t *testing.B) {
	b := newBed(t)
	var importing, publishing time.Duration
	for n := 0; t.Loop(); n++ {
		start := time.Now()
		out := b.importRows(changeset.MaxItems, fmt.Sprint("salt", n))
		importing += time.Since(start)
		start = time.Now()
		if p := b.Publish(out.ChangeSet); len(p.EntryIDs) != changeset.MaxItems {
			t.Fatalf("%d entries", len(p.EntryIDs))
		}
		publishing += time.Since(start)
	}
	t.ReportMetric(importing.Seconds()/float64(t.N), "import-s/op")
	t.ReportMetric(publishing.Seconds()/float64(t.N), "publish-s/op")
}

// One entry after the other, each in a release of its own.
func BenchmarkPublishSingle(t *testing.B) {
	b := newBed(t)
	id := b.Published("posts", `{"title": "Busy"}`).ID
	var writing, publishing time.Duration
	for n := 0; t.Loop(); n++ {
		start := time.Now()
		w := b.Patch(nil, id, fmt.Sprintf(`{"body": "%d"}`, n))
		writing += time.Since(start)
		start = time.Now()
		b.Publish(w.ChangeSet)
		publishing += time.Since(start)
	}
	t.ReportMetric(float64(writing.Microseconds())/float64(t.N), "write-us/op")
	t.ReportMetric(float64(publishing.Microseconds())/float64(t.N), "publish-us/op")
}
