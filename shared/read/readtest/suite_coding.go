package readtest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/problem"
	"svc/shared/read"
)

// codings: bodies of large entries in gzip and zstd are what they are without, the same bytes from a store that keeps fields compressed
// as from one that does not.
func codings(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	var items []Item
	for n, size := range []int{70_000, 10, 1500, 1023, 3000} {
		it := f.post(uint64(n+1), fmt.Sprintf("post-%d", n+1))
		var text strings.Builder
		for i := 0; text.Len() < size; i++ {
			fmt.Fprintf(&text, "%d öde words, ", i*i%977)
		}
		it.Fields = fmt.Sprintf(`{"title":"%s","slug":"post-%d"}`, text.String(), n+1)
		items = append(items, it)
	}
	f.publish(items...)
	again := f.post(3, "post-3")
	again.Fields = `{"title":"` + strings.Repeat("once more ", 500) + `","slug":"post-3"}`
	f.publish(again)
	for _, path := range []string{
		"entries", "entries?limit=1", "entries?limit=2", "entries?at=1", "entries?order=title", "entries?q=once", "entries?fields=title", "entries?include=",
		"entries/post-1", "entries/post-2", "entries/post-3", "entries/post-3?at=1", "entries/post-4", "entries/post-5?representation=rendered",
	} {
		plain := f.coded(s.Store(), path, "identity")
		for _, coding := range read.Packed {
			name := string(coding)
			got := f.coded(s.Store(), path, name)
			body, err := decode(got.Headers["content-encoding"], got.Body)
			if err != nil || !bytes.Equal(body, plain.Body) {
				t.Errorf("%s in %s: %d bytes, %v; want %d", path, name, len(body), err, len(plain.Body))
			}
			if coded := got.Headers["content-encoding"] != ""; coded != (len(body) >= 1024) || coded && len(got.Body) > len(body)*3/4 {
				t.Errorf("%s in %s: %d bytes of %d, coded: %v", path, name, len(got.Body), len(body), coded)
			}
			if other := f.coded(uncoded{s.Store()}, path, name); !bytes.Equal(other.Body, got.Body) {
				t.Errorf("%s in %s: other bytes where the store keeps nothing compressed", path, name)
			}
		}
	}
}

func (f *fixture) coded(s read.Store, path, coding string) Answer {
	f.Helper()
	a, err := Serve(f.Context(), &read.Engine{Store: s, Keys: ring{}, Now: time.Now}, Call{
		Method:  http.MethodGet,
		Target:  "/v1/projects/" + string(f.settings.ID) + "/collections/posts/" + path,
		Headers: []problem.Header{{Name: "accept-encoding", Value: coding}},
	})
	f.must(err)
	return a
}

// uncoded is a store whose views keep nothing compressed.
type uncoded struct{ read.Store }

func (u uncoded) Open(ctx context.Context, project string) (read.View, error) {
	v, err := u.Store.Open(ctx, project)
	if v == nil {
		return nil, err
	}
	return struct{ read.View }{v}, err
}
