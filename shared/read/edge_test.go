package read_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/cors"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

var now = time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)

// site is an engine on a model store; views that are opened must be closed.
type site struct {
	*testing.T
	memory *readtest.Memory
	engine *read.Engine
	open   int // views
}

const (
	postsSchema  = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}}`
	draftsSchema = `{"name":"drafts","fields":{"text":{"type":"text"}}}`
)

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, memory: readtest.NewMemory()}
	s.engine = &read.Engine{Store: s, Keys: s.memory, Now: func() time.Time { return now }}
	ctx := t.Context()
	err := s.memory.PutSettings(ctx, readtest.Settings{From: 1, Project: read.Project{
		ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true,
		CursorKey: make([]byte, 32),
	}})
	if err == nil {
		err = s.memory.PutSchema(ctx, readtest.Project(1), readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{
			{Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(postsSchema)},
			{Name: "drafts", Version: 1, Label: "Drafts", Canonical: []byte(draftsSchema)},
		}})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.publish(1)
	t.Cleanup(func() {
		if s.open != 0 {
			t.Errorf("%d views were not closed", s.open)
		}
	})
	return s
}

// Open counts the views that it hands out.
func (s *site) Open(ctx context.Context, project string) (read.View, error) {
	v, err := s.memory.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	s.open++
	return &countedView{v, s}, nil
}

type countedView struct {
	read.View
	site *site
}

func (v *countedView) Close() {
	v.site.open--
	v.View.Close()
}

func (s *site) publish(n uint64) {
	s.Helper()
	err := s.memory.Publish(s.Context(), readtest.Project(1), readtest.Release{
		Release: content.Release{Number: n, PublishedAt: now.Add(time.Duration(n) * time.Minute).Add(-time.Hour)},
		Items: []readtest.Item{{Entry: readtest.Entry(n), Collection: "posts", Revision: readtest.Revision(n),
			SchemaVersion: 1, Fields: `{"title":"Hello"}`}},
	})
	if err != nil {
		s.Fatal(err)
	}
}

// edge makes the engine one that has core behind it. Await is what waiting for a release comes to.
func (s *site) edge(await func(release uint64) error) {
	s.engine.Await = func(ctx context.Context, project content.ProjectID, release uint64) error {
		if deadline, set := ctx.Deadline(); !set || time.Until(deadline) > 2*time.Second || project != readtest.Project(1) {
			s.Errorf("waiting for %s until %v, %v", project, deadline, set)
		}
		return await(release)
	}
}

func (s *site) never(release uint64) error {
	s.Errorf("waited for release %d", release)
	return context.DeadlineExceeded
}

// get reads a path below the project, and says what came: a status with the release, or "forward".
func (s *site) get(req read.Request) string {
	s.Helper()
	if req.Method == "" {
		req.Method = "GET"
	}
	if req.Project == "" {
		req.Project = "shop"
	}
	if req.Collection == "" {
		req.Collection = "posts"
	}
	if req.Route == 0 {
		req.Route = query.RouteList
	}
	resp := s.engine.Serve(s.Context(), &req)
	defer resp.Release()
	if resp.Forward {
		if resp.Status != 0 || (resp.Headers != nil) == (s.engine.Await != nil) || resp.Body != nil {
			s.Errorf("a forwarded answer says %d %v", resp.Status, resp.Headers)
		}
		return "forward"
	}
	out := []string{map[int]string{200: "ok", 204: "preflight", 400: "invalid", 401: "who", 404: "none", 405: "method", 503: "later"}[resp.Status]}
	for _, name := range []string{"Svc-Release", "Cache-Control", "Retry-After"} {
		if v := resp.Header(name); v != "" {
			out = append(out, v)
		}
	}
	return strings.Join(out, " ")
}

const revalidate = "public, max-age=0, must-revalidate"

func (s *site) want(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestAnEdgeForwardsWhatItDoesNotHold(t *testing.T) {
	s := newSite(t)
	s.edge(s.never)
	bearer := "Bearer svc_prv_0123456789abcdef_0123456789012345678901234567890123456789"
	for name, req := range map[string]read.Request{
		"an unknown project":                    {Project: "elsewhere"},
		"a preflight of one":                    {Project: "elsewhere", Method: "OPTIONS"},
		"a preview parameter":                   {RawQuery: "preview=svc_prv_x"},
		"a token on a private collection":       {Collection: "drafts", RawQuery: "token=svc_prv_x"},
		"a preview bearer":                      {Authorization: bearer},
		"a preview bearer on what is not there": {Collection: "nothing", Authorization: bearer},
		"a past time that is not settled":       {RawQuery: "at=2024-05-31T23:59:59Z"},
	} {
		s.want(name, s.get(req), "forward")
	}
	s.want("what no project is called", s.get(read.Request{Project: "Not A Slug"}), "none no-store")
	s.want("the future", s.get(read.Request{RawQuery: "at=2024-06-02"}), "ok 1 "+revalidate)
	if err := s.memory.Settle(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	s.want("a settled time", s.get(read.Request{RawQuery: "at=2024-05-31T23:59:59Z"}), "ok 1 public, max-age=31536000, immutable")
	s.want("no release", s.get(read.Request{RawQuery: "at=0"}), "invalid 1 no-store")
}

func TestAnEdgeWaitsForAReleaseAndForwardsWhereItDoesNotCome(t *testing.T) {
	s := newSite(t)
	published := uint64(1)
	s.edge(func(release uint64) error {
		if release > 3 {
			return context.DeadlineExceeded
		}
		for published < release {
			published++
			s.publish(published)
		}
		return nil
	})
	s.want("a newer pin", s.get(read.Request{RawQuery: "at=2"}), "ok 2 public, max-age=31536000, immutable")
	s.want("a newer release", s.get(read.Request{MinRelease: new("3")}), "ok 3 "+revalidate)
	s.want("one that is there", s.get(read.Request{MinRelease: new("3")}), "ok 3 "+revalidate)
	s.want("one that does not come", s.get(read.Request{MinRelease: new("4")}), "forward")
	s.want("a pin that does not come", s.get(read.Request{RawQuery: "at=4"}), "forward")
	s.want("of a list of collections", s.get(read.Request{Route: query.RouteCollections, MinRelease: new("99999999999999999999")}), "forward")
	s.want("malformed", s.get(read.Request{MinRelease: new("-1")}), "invalid 3 no-store")
	s.want("empty", s.get(read.Request{MinRelease: new("")}), "invalid 3 no-store")

	s.edge(func(uint64) error { return nil }) // it came, but not into the view
	s.want("a release that is lost again", s.get(read.Request{MinRelease: new("9")}), "forward")

	s.edge(s.never)
	s.want("a private collection does not wait", s.get(read.Request{Collection: "drafts", MinRelease: new("9")}), "who no-store")
	s.want("a bad query does not wait", s.get(read.Request{RawQuery: "x=1", MinRelease: new("9")}), "invalid 3 no-store")
}

func TestCoreRefusesWhatIsNotThere(t *testing.T) {
	s := newSite(t)
	s.want("a newer pin", s.get(read.Request{RawQuery: "at=2"}), "invalid 1 no-store")
	s.want("a newer release", s.get(read.Request{MinRelease: new("2")}), "later 1 no-store 1")
	s.want("an unknown project", s.get(read.Request{Project: "elsewhere"}), "none no-store")
	s.want("another method", s.get(read.Request{Method: "POST"}), "method no-store")
	// Core looks a second time; what it cannot settle then may still change.
	s.want("a past time that is not settled", s.get(read.Request{RawQuery: "at=2024-05-31T23:59:59Z"}), "ok 1 "+revalidate)
}

// absent is a key store that no one can reach.
type absent struct{}

func (absent) Grant(context.Context, string) (*credential.Grant, error) {
	return nil, &fault.Error{Code: fault.Unavailable, Detail: "core is away", RetryAfter: 3 * time.Second}
}

func TestOnlyReadsThatNeedAKeyFailWhenNoOneCanTell(t *testing.T) {
	s := newSite(t)
	s.engine.Keys = absent{}
	key := "Bearer " + credential.Mint(credential.APIKey).Text()
	s.want("a public collection", s.get(read.Request{Authorization: key}), "ok 1 "+revalidate)
	s.want("a private one", s.get(read.Request{Authorization: key, Collection: "drafts"}), "later no-store 3")
	s.want("a private one without a key", s.get(read.Request{Collection: "drafts"}), "who no-store")
	s.want("the list of collections, which depends on the key", s.get(read.Request{Authorization: key, Route: query.RouteCollections}), "later no-store 3")
	s.want("a preview", s.get(read.Request{Authorization: key, RawQuery: "preview=svc_prv_x"}), "later no-store 3")
	settings := readtest.Settings{From: 2, Project: read.Project{ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop"}}
	if err := s.memory.PutSettings(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	s.want("with the public API off", s.get(read.Request{Authorization: key}), "later no-store 3")
	s.want("and no key", s.get(read.Request{}), "none no-store")
}

func TestSchemaReadersGetTheManagementView(t *testing.T) {
	s := newSite(t)
	secret := credential.Mint(credential.APIKey)
	grant := credential.Grant{
		Key: "key_1", PublicID: secret.PublicID, Hash: secret.Hash(), Organization: readtest.Organization(1), Scopes: []credential.Scope{credential.SchemaRead},
	}
	if err := s.memory.PutKey(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	s.want("with schema:read", s.get(read.Request{Route: query.RouteCollections, Authorization: "Bearer " + secret.Text()}), "forward")
	parts := strings.Split(credential.Mint(credential.APIKey).Text(), "_")
	parts[2] = secret.PublicID
	s.want("with another secret", s.get(read.Request{Route: query.RouteCollections, Authorization: "Bearer " + strings.Join(parts, "_")}), "who no-store")
}

func TestOriginsCompareInTheFormThatBrowsersSend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	settings := readtest.Settings{From: 2, Project: read.Project{
		ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true,
		AllowedOrigins: []string{"https://xn--mnchen-3ya.example", "https://xn--strae-oqa.example", "http://shop.example:8080"},
	}}
	if err := s.memory.PutSettings(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{
		"https://xn--mnchen-3ya.example": true, "https://münchen.example": true, "https://xn--strae-oqa.example": true,
		"https://straße.example": true, "HTTP://Shop.example:8080/": true, "http://shop.example": false, "https://munchen.example": false,
		"https://strasse.example": false, "null": false, "https://": false,
	} {
		for _, method := range []string{"GET", "OPTIONS"} {
			resp := s.engine.Serve(t.Context(), &read.Request{Method: method, Route: query.RouteCollections, Project: "shop", Origin: origin})
			canonical, _ := cors.Canonical(origin)
			if got := resp.Header("Access-Control-Allow-Origin"); got != canonical && want || got != "" && !want {
				t.Errorf("%s from %s: %q", method, origin, got)
			}
			resp.Release()
		}
	}
}
