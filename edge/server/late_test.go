package server

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/wiretest"
)

// busy is a store in which no list comes to an end by itself.
type busy struct{ read.Store }

func (s *busy) Open(ctx context.Context, project string) (read.View, error) {
	v, err := s.Store.Open(ctx, project)
	return &busyView{v}, err
}

type busyView struct{ read.View }

func (v *busyView) List(ctx context.Context, _ read.ListQuery) (read.Page, error) {
	<-ctx.Done()
	return read.Page{}, ctx.Err()
}

// TestAListThatTakesTooLongIsToTryAgain: no one waits without end for lists whose callers may be gone.
func TestAListThatTakesTooLongIsToTryAgain(t *testing.T) {
	subject := readtest.NewMemory()
	s := startWith(t, plenty, noCore(t), Config{
		Pace:   Pace{Read: time.Millisecond},
		Engine: &read.Engine{Store: &busy{subject.Store()}, Keys: subject.Keys(), Now: time.Now},
	})
	if err := subject.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
		ID: readtest.Project(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: make([]byte, 32),
	}}); err != nil {
		t.Fatal(err)
	}
	if err := subject.PutSchema(t.Context(), readtest.Project(1), readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{
		{Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}`)},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"order=title", "filter[title]=a", ""} {
		resp, err := wiretest.Client.Get(s.origin + "/v1/projects/shop/collections/posts/entries?" + query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" || !strings.Contains(string(body), `"UNAVAILABLE"`) {
			t.Errorf("%q: %d, again after %q: %s", query, resp.StatusCode, resp.Header.Get("Retry-After"), body)
		}
	}
}
