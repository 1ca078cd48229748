package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/edge/limit"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/problem"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// shop is a project of the subject, with a collection that is public and one that is not, and a key to read it.
func shop(t *testing.T, m *readtest.Memory, public bool) (key string) {
	t.Helper()
	secret, id := credential.Mint(credential.APIKey), readtest.Project(1)
	for _, err := range []error{
		m.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
			ID: id, Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: public, CursorKey: make([]byte, 32),
			AllowedOrigins: []string{"https://shop.example"},
		}}),
		m.PutSchema(t.Context(), id, readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{
			{Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}}`)},
			{Name: "drafts", Version: 1, Label: "Drafts", Canonical: []byte(`{"name":"drafts","fields":{"title":{"type":"text"}}}`)},
		}}),
		m.Publish(t.Context(), id, readtest.Release{
			Release: content.Release{Number: 1, PublishedAt: time.Now().UTC().Truncate(time.Millisecond)},
			Items: []readtest.Item{{Entry: readtest.Entry(1), Revision: readtest.Revision(1), Collection: "posts", SchemaVersion: 1, Slug: "hello",
				Fields: `{"title":"Hello","slug":"hello"}`}},
		}),
		m.PutKey(t.Context(), credential.Grant{
			Key: "key_1", PublicID: secret.PublicID, Hash: secret.Hash(), Organization: readtest.Organization(1), Scopes: []credential.Scope{credential.ContentRead},
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return secret.Text()
}

// coreOver answers reads as core does; what is none is answered with 405.
func coreOver(m *readtest.Memory) http.Handler {
	engine := &read.Engine{Store: m.Store(), Keys: m.Keys(), Now: time.Now}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, _ := read.ParsePath([]byte(r.URL.EscapedPath()))
		request := read.Request{
			Method: r.Method, Route: path.Route, Project: path.Project, Collection: path.Collection, Ref: path.Ref, RawQuery: r.URL.RawQuery,
			Authorization: r.Header.Get("Authorization"), Origin: r.Header.Get("Origin"), IfNoneMatch: r.Header.Get("If-None-Match"), AcceptEncoding: r.Header.Get("Accept-Encoding"),
			RequestID: r.Header.Get("Svc-Request-Id"),
		}
		if values := r.Header["Svc-Min-Release"]; values != nil {
			request.MinRelease = &values[0]
		}
		if request.Route == 0 {
			request.Route = query.RouteCollections
		}
		response := engine.Serve(r.Context(), &request)
		defer response.Release()
		for _, h := range append(response.Headers, problem.Header{Name: "Svc-Request-Id", Value: request.RequestID}) {
			w.Header().Set(h.Name, h.Value)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(response.Body)))
		w.WriteHeader(response.Status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(response.Body)
		}
	})
}

// atEdge makes the engine of a server on the store that of an edge.
func atEdge(m *readtest.Memory) *read.Engine {
	return &read.Engine{Store: m.Store(), Keys: m.Keys(), Now: time.Now, Await: func(context.Context, content.ProjectID, uint64) error {
		return context.DeadlineExceeded
	}}
}

func TestAProjectThatIsNotPublicLooksLikeNone(t *testing.T) {
	t.Parallel()
	foreign := credential.Mint(credential.APIKey)
	began := time.Now()
	for name, burst := range map[string]int{"": 1e6, "limited": 100} {
		t.Run(name, func(t *testing.T) {
			start := func() (*stand, string) {
				memory := readtest.NewMemory()
				key := shop(t, memory, false)
				if err := memory.PutKey(t.Context(), credential.Grant{
					Key: "key_2", PublicID: foreign.PublicID, Hash: foreign.Hash(), Organization: readtest.Organization(2), Scopes: credential.Scopes(),
				}); err != nil {
					t.Fatal(err)
				}
				s := startOn(t, memory, coreOver(memory), Config{
					Engine:  atEdge(memory),
					Limiter: limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: burst}, func() time.Time { return began }),
				})
				return s, key
			}
			off, key := start()
			none, _ := start()
			readtest.CheckHidden(t, readtest.Asked{Origin: off.origin, Project: "shop"}, readtest.Asked{Origin: none.origin, Project: "none"},
				"Authorization: Bearer "+foreign.Text())

			// Who has a key reads on, and does not share a limit with those who guess names.
			answer := off.read(t, "shop", "/posts/entries", "Authorization: Bearer "+key, "Origin: https://shop.example")
			if answer.StatusCode != http.StatusOK || answer.Header.Get("Access-Control-Allow-Origin") != "https://shop.example" {
				t.Errorf("with a key: %d %v %s", answer.StatusCode, answer.Header, text(t, answer))
			}
			answer = off.read(t, "shop", "/posts/entries", "Authorization: Bearer "+key, "Origin: https://other.example")
			if answer.StatusCode != http.StatusOK || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("with a key, from an origin that is not allowed: %d %v", answer.StatusCode, answer.Header)
			}
			if want := map[string]int{"": http.StatusNotFound, "limited": http.StatusTooManyRequests}[name]; off.read(t, "shop", "").StatusCode != want {
				t.Errorf("without one it is no longer %d, so this compared too little", want)
			}
		})
	}
}

func TestAPreflightIsNeverLimited(t *testing.T) {
	t.Parallel()
	memory := readtest.NewMemory()
	shop(t, memory, true)
	s := startOn(t, memory, coreOver(memory), Config{
		Engine: atEdge(memory), Limiter: limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 2}, nil),
	})
	preflight := func(project string) {
		t.Helper()
		answer := s.talk(t, "OPTIONS /v1/projects/"+project+"/collections/posts/entries HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n\r\n")[0]
		if answer.StatusCode != http.StatusNoContent || answer.Header.Get("Access-Control-Allow-Origin") == "" || answer.Header.Get("RateLimit") != "" {
			t.Fatalf("%d %v", answer.StatusCode, answer.Header)
		}
	}
	for _, project := range []string{"shop", "none"} {
		for range 5 {
			preflight(project)
		}
		for left := 1; left >= 0; left-- {
			if got := s.read(t, project, "").Header.Get("RateLimit"); !strings.HasPrefix(got, `"reads";r=`+string(rune('0'+left))) {
				t.Fatalf("%d reads are left: %s", left, got)
			}
		}
		if got := s.read(t, project, "").StatusCode; got != http.StatusTooManyRequests {
			t.Fatal(got)
		}
		preflight(project)
	}
}
