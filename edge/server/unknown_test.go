package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// late is a store that a project comes to in the course of a test.
type late struct {
	read.Store
	there atomic.Bool
}

func (l *late) Open(ctx context.Context, project string) (read.View, error) {
	if !l.there.Load() {
		return nil, fault.New(fault.NotFound, "none")
	}
	return l.Store.Open(ctx, project)
}

// elsewhere is an edge that lacks a project, before a core that counts what it is asked, and says of "placed" alone that
// there is such a project.
func elsewhere(t *testing.T) (s *stand, asked *atomic.Int32, store *late) {
	asked, store = &atomic.Int32{}, &late{}
	core := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		detail := "there is no such project"
		if strings.Contains(r.URL.Path, "/placed/") {
			detail = `the project has no collection "posts"`
		}
		if strings.Contains(r.URL.RawQuery, "token=") { // of another project
			w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		}
		if r.Header.Get("Authorization") == "" && !strings.Contains(r.URL.RawQuery, "preview=") {
			answer := problem.Render(fault.New(fault.NotFound, "%s", detail), "core")
			w.Header().Set("Content-Type", problem.ContentType)
			w.WriteHeader(answer.Status)
			_, _ = w.Write(answer.Body)
		}
	})
	memory := readtest.NewMemory()
	store.Store = memory.Store()
	s = startWith(t, plenty, core, Config{
		Engine: &read.Engine{
			Store: store, Keys: memory.Keys(), Now: time.Now,
			Await: func(context.Context, content.ProjectID, uint64) error { return nil },
		},
		Resolve: func(ref string) *read.Project {
			view, err := store.Open(context.Background(), ref)
			if err != nil {
				return nil
			}
			defer view.Close()
			return view.Project()
		},
	})
	return s, asked, store
}

func (s *stand) read(t *testing.T, project, rest string, headers ...string) *http.Response {
	t.Helper()
	request := fmt.Sprintf("GET /v1/projects/%s/collections%s HTTP/1.1\r\nHost: a\r\n", project, rest)
	for _, h := range headers {
		request += h + "\r\n"
	}
	got := s.talk(t, request+"\r\n")
	if len(got) != 1 {
		t.Fatalf("%d answers", len(got))
	}
	return got[0]
}

func TestAnUnknownProjectIsAskedForOnce(t *testing.T) {
	s, asked, _ := elsewhere(t)
	now := time.Unix(1_000_000, 0)
	s.server.unknown.now = func() time.Time { return now }
	for i, rest := range []string{"", "", "/posts/entries", "/posts/entries?limit=3", "/posts/entries/x", "/front/singleton"} {
		answer := s.read(t, "nowhere", rest, "Origin: https://example.org")
		body := text(t, answer)
		if answer.StatusCode != http.StatusNotFound || !strings.Contains(body, `"detail":"there is no such project"`) {
			t.Fatalf("%s: %d %s", rest, answer.StatusCode, body)
		}
		if i > 0 && (!strings.Contains(body, answer.Header.Get("Svc-Request-Id")) || answer.Header.Get("Access-Control-Allow-Origin") != "https://example.org") {
			t.Errorf("%s: %v %s", rest, answer.Header, body)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Fatalf("core was asked %d times", n)
	}
	s.read(t, "nowhere-else", "")
	if n := asked.Load(); n != 2 {
		t.Fatalf("another project: core was asked %d times", n)
	}
	now = now.Add(unknownFor)
	s.read(t, "nowhere", "")
	if n := asked.Load(); n != 3 {
		t.Fatalf("a second later core was asked %d times", n)
	}
}

// Who shows a credential or a preview token may see what others do not.
func TestWhatCoreTellsOneItNeedNotTellAnother(t *testing.T) {
	s, asked, _ := elsewhere(t)
	s.read(t, "hidden", "")
	for rest, header := range map[string]string{"": "Authorization: Bearer x", "/posts/entries?preview=svc_prv_x": "X: y"} {
		if answer := s.read(t, "hidden", rest, header); answer.StatusCode != http.StatusOK {
			t.Errorf("%s with %s: %d", rest, header, answer.StatusCode)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Fatalf("core was asked %d times", n)
	}
}

// Nor does core's word to a preview token of some project end reads of another without one.
func TestWhatCoreTellsAPreviewTokenIsNotRemembered(t *testing.T) {
	s, asked, _ := elsewhere(t)
	for i, rest := range []string{"/posts/entries?token=svc_prv_x", "/posts/entries"} {
		s.read(t, "nowhere", rest)
		if n := asked.Load(); int(n) != i+1 {
			t.Errorf("%s: core was asked %d times", rest, n)
		}
	}
}

// An entry or collection that is missing says nothing of its project.
func TestOtherAbsencesAreNotRemembered(t *testing.T) {
	s, asked, _ := elsewhere(t)
	for range 3 {
		s.read(t, "placed", "/posts/entries")
	}
	if n := asked.Load(); n != 3 {
		t.Fatalf("core was asked %d times", n)
	}
}

// A project that arrives is served at once, whatever core said of it a moment ago.
func TestAProjectThatArrivesIsServed(t *testing.T) {
	s, asked, store := elsewhere(t)
	now := time.Now()
	s.server.unknown.now = func() time.Time { return now }
	id := readtest.Project(1)
	settings := readtest.Settings{Project: read.Project{ID: id, Slug: "new", PublicAPIEnabled: true}}
	if err := store.Store.(*readtest.Memory).PutSettings(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	if answer := s.read(t, string(id), ""); answer.StatusCode != http.StatusNotFound {
		t.Fatal(answer.Status)
	}
	store.there.Store(true)
	if answer := s.read(t, string(id), ""); answer.StatusCode != http.StatusOK || asked.Load() != 1 {
		t.Fatalf("%d %s; core was asked %d times", answer.StatusCode, text(t, answer), asked.Load())
	}
	if !s.server.unknown.knows(asker{project: string(id)}) {
		t.Error("core's word was not remembered, so this shows nothing")
	}
}

func TestUnknownProjectsAreBounded(t *testing.T) {
	u := newUnknown(time.Now)
	for i := range 3 * mostUnknown {
		u.note(asker{project: fmt.Sprint(i)})
	}
	if n := len(u.until); n > mostUnknown {
		t.Fatalf("%d are remembered", n)
	}
}
