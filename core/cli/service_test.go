package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/schema"
)

// The tokens that the service of these tests knows.
const (
	goodToken = "svc_sk_public1_secret" // everything
	weakToken = "svc_sk_public2_secret" // content:read alone
	// formToken has schema:read alone.
	formToken = "svc_sk_public3_secret"
)

// service answers as the interface says, and holds what it is sent.
type service struct {
	t      *testing.T
	mu     sync.Mutex
	bodies map[string]string // the last one, by "METHOD /path?query"

	deployed  []*schema.Collection
	elsewhere map[string][]*schema.Collection // in other projects
	covered   []wire.Coverage
	versions  map[string]uint32
	past      map[string][]*schema.Collection // of each collection, oldest first
	misfits   []wire.ContentError             // what a diff finds in content
	sets      []wire.ChangeSet
	items     map[string][]wire.Item
	releases  []wire.Release
	previews  []wire.Preview // newest first
	pinned    *wire.Pin
	locales   []string          // of the project
	errors    []issue           // what validate finds
	rowFault  string            // what an import finds
	noFleet   error             // why edges are not known
	oneEdge   bool              // and that is well
	edited    bool              // someone else has edited every entry
	removes   content.Operation // what the first set does to the entry 6; empty: it edits it
	rebases   int               // how many there were
	others    int               // the rebase before which others publish; 0: none
	elseOnly  bool              // what others publish then is not about the edits
	agreeing  bool              // there are conflicts only once others have published
	validated int               // how often change sets were
	restaged  int               // the validation before which others stage something else; 0: none
	date      string            // the header Date; empty: the present
}

func newService(t *testing.T) (*service, string) {
	s := &service{t: t, bodies: map[string]string{}, versions: map[string]uint32{}, items: map[string][]wire.Item{}}
	mux := http.NewServeMux()
	for pattern, answer := range s.routes() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, answer) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, func(*http.Request, string) (any, error) {
			if other, ok := strings.CutPrefix(r.URL.Path, "/v1/projects/"); ok && !strings.HasPrefix(other, "demo/") {
				return nil, fault.New(fault.NotFound, "there is no such project")
			}
			return nil, fault.New(fault.NotFound, "there is no such route")
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return s, server.URL
}

type respond func(r *http.Request, body string) (any, error)

func (s *service) routes() map[string]respond {
	const project = "/v1/projects/demo"
	return map[string]respond{
		"GET /v1/auth/whoami": s.whoami,
		"GET /v1/edges":       s.edges,
		"GET /v1/cores":       s.cores,
		"GET /v1/meta":        func(*http.Request, string) (any, error) { return dataBody{wire.Meta{Version: 1}}, nil },

		"GET /v1/organizations/{organization}/usage": s.usage,

		"GET " + project + "/access":     s.access,
		"GET " + project + "/cors-check": s.corsCheck,

		"GET " + project + "/schema":       s.schema,
		"POST " + project + "/schema/diff": s.plan,
		"POST " + project + "/schema/push": s.push,

		"GET " + project + "/schema/drift":                          s.drift,
		"POST " + project + "/schema/promote":                       s.promote,
		"GET " + project + "/collections/{collection}/translations": s.translations,

		"GET " + project + "/collections":                       s.collections,
		"POST " + project + "/collections/{collection}/import":  s.imports,
		"GET " + project + "/collections/{collection}/versions": s.listVersions,

		"GET " + project + "/entries/{id}":            s.getEntry,
		"PATCH " + project + "/entries/{id}":          s.patchEntry,
		"DELETE " + project + "/entries/{id}/draft":   s.discard,
		"GET " + project + "/entries":                 s.listEntries,
		"GET " + project + "/entries/{id}/references": s.references,
		"GET " + project + "/entries/{id}/revisions":  s.listRevisions,
		"POST " + project + "/entries/{id}/unpublish": s.stages(content.OperationUnpublish),
		"DELETE " + project + "/entries/{id}":         s.stages(content.OperationDelete),
		"POST " + project + "/entries/{id}/restore":   s.copied,
		"POST " + project + "/entries/{id}/duplicate": s.copied,
		"POST " + project + "/entries/{id}/undelete":  s.undelete,

		"POST " + project + "/change-sets":               s.createSet,
		"POST " + project + "/change-sets/{id}/previews": s.createPreview,
		"GET " + project + "/change-sets/{id}/previews":  s.listPreviews,
		"GET " + project + "/previews":                   s.listPreviews,
		"DELETE " + project + "/previews/{preview}":      s.revokePreview,
		"GET " + project + "/change-sets":                s.listSets,
		"GET " + project + "/change-sets/{id}":           s.getSet,
		"PATCH " + project + "/change-sets/{id}":         s.editSet,
		"GET " + project + "/change-sets/{id}/items":     s.listItems,
		"GET " + project + "/change-sets/{id}/diff":      s.diff,
		"POST " + project + "/change-sets/{id}/rebase":   s.rebase,
		"POST " + project + "/change-sets/{id}/close":    s.closeSet,
		"POST " + project + "/change-sets/{id}/validate": s.validate,
		"POST " + project + "/change-sets/{id}/publish":  s.publish,
		"GET " + project + "/releases":                   func(r *http.Request, _ string) (any, error) { return paged(r, s.releases), nil },

		"DELETE " + project + "/change-sets/{id}/items/{resource}": s.unstage,

		"GET " + project + "/releases/{number}":         s.release,
		"POST " + project + "/releases/{number}/revert": s.revert,

		"GET " + project: func(*http.Request, string) (any, error) {
			return dataBody{map[string]any{"pin": s.pinned, "defaultLocale": "en", "locales": s.locales}}, nil
		},
		"PUT " + project + "/pin":    s.pin,
		"DELETE " + project + "/pin": s.unpin,
	}
}

func (s *service) serve(w http.ResponseWriter, r *http.Request, answer respond) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.bodies[r.Method+" "+r.URL.RequestURI()] = string(body)
	var data any
	if parameters := s.unknownParameters(r); parameters != "" {
		err = fault.Invalid(parameters, "is not a parameter of this route")
	} else if r.URL.Path == "/v1/meta" {
		data, err = answer(r, string(body))
	} else if token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !slices.Contains([]string{goodToken, weakToken, formToken}, token) {
		err = fault.New(fault.AuthenticationRequired, "the API key is not known, or has been revoked")
	} else {
		data, err = answer(r, string(body))
	}
	if err != nil {
		rendered := problem.Render(err, "00000000000000000000000000000001")
		for _, h := range rendered.Headers {
			w.Header().Set(h.Name, h.Value)
		}
		w.WriteHeader(rendered.Status)
		fmt.Fprintf(w, "%s", rendered.Body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.date != "" {
		w.Header().Set("Date", s.date)
	}
	if err := json.MarshalWrite(w, data, json.Deterministic(true)); err != nil {
		s.t.Error(err)
	}
}

// takes are the parameters of the routes that have some, by method and the end of the path.
var takes = map[string][]string{
	"POST import":                           {"changeSetId", "changeSummary", "dryRun"},
	"GET drift":                             {"against"},
	"GET access":                            {"capability", "route", "tool", "collection"},
	"GET cors-check":                        {"origin", "collection"},
	"GET usage":                             {"from", "to"},
	"GET change-sets":                       {"status", "limit", "cursor"},
	"GET items":                             {"limit", "cursor"},
	"GET previews":                          {"limit", "cursor"},
	"POST unpublish":                        {"changeSetId"},
	"GET " + string(id[content.EntryID](6)): {"changeSetId"},
	"GET entries":                           {"collection", "status", "slug", "q", "updatedSince", "updatedBy", "limit", "cursor"},
	"GET revisions":                         {"limit", "cursor"},
	"GET diff":                              {"limit", "cursor"},
	"GET releases":                          {"limit", "cursor"},
	"GET versions":                          {"limit", "cursor"},
}

func (s *service) unknownParameters(r *http.Request) string {
	for name := range r.URL.Query() {
		if !slices.Contains(takes[r.Method+" "+path.Base(r.URL.Path)], name) {
			return name
		}
	}
	return ""
}

type dataBody struct {
	Data any `json:"data"`
}

type listBody struct {
	Data       any            `json:"data"`
	Pagination map[string]any `json:"pagination"`
}

// paged cuts a page out of a list as limit and cursor say.
func paged[T any](r *http.Request, all []T) listBody {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 25
	}
	from, err := strconv.Atoi(r.URL.Query().Get("cursor"))
	if err != nil {
		from = 0
	}
	to := min(len(all), from+limit)
	var next any
	if to < len(all) {
		next = strconv.Itoa(to)
	}
	return listBody{slices.Concat([]T{}, all[from:to]), map[string]any{"nextCursor": next}}
}

func needs(r *http.Request, scope string) error {
	if strings.Contains(r.Header.Get("Authorization"), weakToken) {
		return fault.New(fault.Forbidden, "the API key lacks the scope %s", scope)
	}
	return nil
}

func (s *service) whoami(r *http.Request, _ string) (any, error) {
	who := wire.Identity{
		Type: "api_key", ID: string(id[content.KeyID](1)), Label: "Laptop", Scopes: []credential.Scope{credential.ContentRead, credential.SchemaWrite},
		Organization: wire.Organization{ID: id[content.OrganizationID](1), Slug: "press", Name: "The Press"},
	}
	if needs(r, "") != nil {
		who.Project, who.Label = new(id[content.ProjectID](1)), "Reader"
		who.Scopes, who.Collections, who.ExpiresAt = who.Scopes[:1], []string{"posts"}, stamp(9)
	}
	return dataBody{who}, nil
}

func (s *service) edges(r *http.Request, _ string) (any, error) {
	if err := cmp.Or(needs(r, "org:admin"), s.noFleet); err != nil {
		return nil, err
	}
	seen, held := uint64(42), uint64(41)
	log := wire.EdgeLog{Log: string(id[content.ProjectID](1)), Epoch: 1, Seq: 1204, Head: 1204, LagMS: 3.25, Chain: strings.Repeat("cd", 32), StateHash: strings.Repeat("ab", 16), Release: &seen}
	late := log
	late.Release = nil
	late.Log, late.Seq, late.Behind, late.LagMS = string(id[content.OrganizationID](1)), 1180, 24, 4210
	wrong := late
	wrong.Alarm = new("the state hash differs from core's")
	pinned := log
	pinned.Pinned = &held
	stopped := wire.Alarm{Alarm: "apply_failing", Log: new(late.Log), Detail: "change 1181 cannot be applied", Since: stamp(4)}
	full := wire.Alarm{Alarm: "disk_full", Log: nil, Detail: "1 byte is free", Since: stamp(3)}
	if s.oneEdge {
		return listBody{[]wire.Edge{{ID: "edge-1", Ready: true, Logs: []wire.EdgeLog{log}}}, map[string]any{"nextCursor": nil}}, nil
	}
	return listBody{[]wire.Edge{
		{ID: "edge-1", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(5), Ready: true, Reasons: []string{}, Alarms: []wire.Alarm{}, Logs: []wire.EdgeLog{log}},
		{ID: "edge-2", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(5), Reasons: []string{"4.2 s behind"}, Alarms: []wire.Alarm{}, Logs: []wire.EdgeLog{pinned, late}},
		{ID: "edge-3", Build: "v0.9.0", StartedAt: stamp(0), ReportedAt: stamp(5), Ready: true, Reasons: []string{}, Alarms: []wire.Alarm{}, Logs: []wire.EdgeLog{wrong}},
		{ID: "edge-4", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(5), Ready: true, Reasons: []string{}, Alarms: []wire.Alarm{full, stopped}, Logs: []wire.EdgeLog{log, wrong}},
	}, map[string]any{"nextCursor": nil}}, nil
}

// access lets the good token do everything but in the collection "locked", and others read.
func (s *service) access(r *http.Request, _ string) (any, error) {
	q := r.URL.Query()
	out := wire.Access{Allowed: true, Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{}}
	for _, name := range []string{"credential", "project", "capability", "collection"} {
		row := wire.DiagnosticCheck{Name: name, Passed: out.Allowed, Detail: "the " + name + " is right"}
		switch {
		case !out.Allowed:
			row.Detail = "not reached, since an earlier check failed"
		case name == "capability" && needs(r, "") != nil && q.Get("capability") != "content:read":
			out.Allowed, row.Passed, row.Detail, row.Remedy = false, false, "this needs a scope", new("use an API key that carries it")
		case name == "collection" && q.Get("collection") == "locked":
			out.Allowed, row.Passed, row.Detail, row.Remedy = false, false, "the API key is confined", new("use another one")
		}
		out.Checks = append(out.Checks, row)
	}
	return dataBody{out}, nil
}

// corsCheck allows https://shop.example.
func (s *service) corsCheck(r *http.Request, _ string) (any, error) {
	origin := r.URL.Query().Get("origin")
	row := wire.DiagnosticCheck{Name: "origin", Passed: origin == "https://shop.example", Detail: origin + " is an allowed origin of the project"}
	if !row.Passed {
		row.Detail, row.Remedy = origin+" is not one of the allowed origins", new("allow it")
	}
	return dataBody{wire.CORSCheck{Allowed: row.Passed, Origin: &origin, Checks: []wire.DiagnosticCheck{row}}}, nil
}

func (s *service) usage(r *http.Request, _ string) (any, error) {
	days := []wire.UsageDay{{Day: "2026-03-02", Meter: "public_api_requests", Total: 1234567}, {Day: "2026-03-01", Meter: "public_api_requests", Total: 3}}
	if r.URL.Query().Get("from") > "2026-03-02" {
		days = []wire.UsageDay{}
	}
	limit, month := uint64(100_000), wire.UsageMonth{Meter: "public_api_requests", Total: 1234570}
	out := wire.Usage{Plan: "unlimited", Month: "2026-03", Days: days}
	if r.PathValue("organization") != "press" {
		out.Plan, month.SoftLimit, month.Exceeded = "free", &limit, true
		month.Notice = new("The organization is beyond the 100000 public reads a month of the plan free. They are still answered: ask the operator of the service for a larger plan.")
	}
	out.Meters = []wire.UsageMonth{month}
	return dataBody{out}, needs(r, "org:admin")
}

func (s *service) cores(r *http.Request, _ string) (any, error) {
	if err := needs(r, "org:admin"); err != nil {
		return nil, err
	}
	return listBody{[]wire.Core{
		{Name: "core-a-1", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(5), Ready: true, Reasons: []string{}, Alarms: []wire.Alarm{}},
		{Name: "core-b-1", Build: "v0.9.0", StartedAt: stamp(0), ReportedAt: stamp(5), Ready: true, Reasons: []string{}, Alarms: []wire.Alarm{
			{Alarm: "database_newer", Log: nil, Detail: "it is at version 3 and this build knows version 2", Since: stamp(4)},
		}},
		{Name: "core-d-1", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(5), Reasons: []string{"NATS cannot be reached"}, Alarms: []wire.Alarm{
			{Alarm: "stream_away", Log: nil, Detail: "NATS cannot be reached from this core; what is published is sent once it is back", Since: stamp(4)},
		}},
		{Name: "core-c-1", Build: "v1.0.0", StartedAt: stamp(0), ReportedAt: stamp(3), Reasons: []string{"it has not reported for 2m0s"}, Alarms: []wire.Alarm{}},
	}, map[string]any{"nextCursor": nil}}, nil
}

// id is the n-th id of its kind.
func id[T content.ID](n byte) T { return content.FromBytes[T]([16]byte{15: n}) }

// stamp is the n-th minute.
func stamp(n int) wire.Time {
	return wire.Time{Time: time.Date(2026, 3, 1, 12, n, 0, 0, time.UTC)}
}
