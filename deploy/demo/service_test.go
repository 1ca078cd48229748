package demo

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// service answers the routes that Seed calls, as the interface describes them, and holds what they would store.
// It refuses a write that a deployment would refuse: an id it has not given out, a set that is not open, a second
// project, a release of nothing.
type service struct {
	t    *testing.T
	mu   sync.Mutex
	call []string // "METHOD /path", in order

	// failAfter makes the n-th write (from 1) take effect and its answer get lost; 0 never.
	failAfter, writes int

	name      string
	settings  jsontext.Value
	schemas   []jsontext.Value
	entries   map[string]*entry
	order     []string // ids, by creation
	sets      []*changeSet
	published int
}

type entry struct {
	collection, slug string
	fields           map[string]jsontext.Value // of the draft
	live             map[string]jsontext.Value // nil is unpublished
	liveSlug         string
}

type changeSet struct {
	id, title, status string
	staged            map[string]string // entry id to operation
}

func newService(t *testing.T) (*service, Target) {
	s := &service{t: t, entries: map[string]*entry{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, Target{URL: server.URL, Organization: "press", Token: "svc_sk_test", HTTP: server.Client()}
}

type refused struct {
	status       int
	code, detail string
}

func refuse(status int, code, format string, args ...any) *refused {
	return &refused{status, code, fmt.Sprintf(format, args...)}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call = append(s.call, r.Method+" "+r.URL.Path)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	data, refused := s.answer(r, body)
	if r.Method != http.MethodGet {
		if s.writes++; s.writes == s.failAfter {
			refused = refuse(503, "UNAVAILABLE", "the answer got lost")
		}
	}
	if refused != nil {
		w.WriteHeader(refused.status)
		fmt.Fprintf(w, `{"code":%q,"detail":%q}`, refused.code, refused.detail)
		return
	}
	if err := json.MarshalWrite(w, data); err != nil {
		s.t.Error(err)
	}
}

type object = map[string]any

func (s *service) answer(r *http.Request, body []byte) (any, *refused) {
	if r.Header.Get("Authorization") != "Bearer svc_sk_test" {
		return nil, refuse(401, "AUTHENTICATION_REQUIRED", "no key")
	}
	if len(body) > 0 && r.Header.Get("Content-Type") != "application/json" {
		return nil, refuse(415, "UNSUPPORTED_MEDIA_TYPE", "not JSON")
	}
	if r.URL.Path == "/v1/organizations/press/projects" {
		return s.makeProject(body)
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/v1/projects/magazine")
	if !ok || s.name == "" {
		return nil, refuse(404, "NOT_FOUND", "there is no project here")
	}
	part := strings.Split(strings.Trim(rest, "/"), "/")
	query := r.URL.Query()
	switch route := r.Method + " " + part[0]; {
	case route == "GET ":
		return object{"data": object{"name": s.name}}, nil
	case route == "PATCH ":
		s.settings = body
		if err := s.settings.Canonicalize(); err != nil {
			return nil, refuse(400, "VALIDATION_FAILED", "%v", err)
		}
		return object{"data": object{}}, nil
	case route == "POST schema":
		return s.push(body)
	case route == "GET releases":
		return page(make([]object, s.published)), nil
	case route == "GET change-sets":
		return s.listSets(query.Get("status")), nil
	case route == "GET entries":
		return s.listEntries(query.Get("collection"), query.Get("cursor")), nil
	case route == "POST change-sets" && len(part) == 1:
		return s.openSet(body)
	case route == "POST change-sets" && part[2] == "publish":
		return s.publish(part[1], body)
	case route == "POST collections":
		return s.create(part[1], body)
	case route == "PATCH entries":
		return s.update(part[1], body)
	case route == "POST entries" && part[2] == "unpublish":
		return s.stage(part[1], query.Get("changeSetId"), "unpublish")
	}
	return nil, refuse(404, "NOT_FOUND", "no such route")
}

func page(items []object) object {
	return object{"data": items, "pagination": object{"nextCursor": nil}}
}

func (s *service) makeProject(body []byte) (any, *refused) {
	var in struct {
		Name string `json:"name"`
		Slug string `json:"slug"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Slug != ProjectSlug {
		return nil, refuse(400, "VALIDATION_FAILED", "%s", body)
	}
	if s.name != "" {
		return nil, refuse(409, "CONFLICT", "the slug is taken")
	}
	s.name = in.Name
	return object{"data": object{"name": s.name}}, nil
}

func (s *service) push(body []byte) (any, *refused) {
	var in struct {
		Collections []jsontext.Value `json:"collections"`
		Summary     string           `json:"summary"`
	}
	if err := json.Unmarshal(body, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, refuse(400, "VALIDATION_FAILED", "%v", err)
	}
	s.schemas = in.Collections
	return object{}, nil
}

func (s *service) listSets(status string) object {
	var items []object
	for _, c := range s.sets {
		if c.status == status {
			items = append(items, object{"id": c.id, "title": c.title})
		}
	}
	return page(items)
}

// listEntries answers in pages of ten, so that a caller who stops at the first is found out.
func (s *service) listEntries(collection, cursor string) object {
	var items []object
	for _, id := range s.order[slices.Index(s.order, cursor)+1:] {
		if e := s.entries[id]; e.collection == collection {
			item := object{"id": id, "slug": e.slug}
			if e.slug == "" {
				item["slug"] = nil
			}
			items = append(items, item)
		}
	}
	const size = 10
	if len(items) <= size {
		return page(items)
	}
	return object{"data": items[:size], "pagination": object{"nextCursor": items[size-1]["id"]}}
}

func (s *service) openSet(body []byte) (any, *refused) {
	var in struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Title == "" {
		return nil, refuse(400, "VALIDATION_FAILED", "%s", body)
	}
	c := &changeSet{id: string(content.NewID[content.ChangeSetID]()), title: in.Title, status: "open", staged: map[string]string{}}
	s.sets = append(s.sets, c)
	return object{"data": object{"id": c.id, "title": c.title}}, nil
}
