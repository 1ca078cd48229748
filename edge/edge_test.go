package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/schema"
	"svc/shared/telemetry"
	"svc/shared/wiretest"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// running is an edge at work.
type running struct {
	t    *testing.T
	base string
	stop func()
	edge *Edge
}

func start(t *testing.T, cfg Config) *running {
	t.Helper()
	e, err := New(t.Context(), cfg, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return &running{t, "http://" + e.Address(), stop, e}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (r *running) get(path, token string) answer {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodGet, r.base+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := wiretest.Client.Transport.RoundTrip(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// gets returns an error unless a path answers with a status.
func (r *running) gets(path, token string, status int) error {
	if a := r.get(path, token); a.status != status {
		return fmt.Errorf("%s answers %d, not %d: %s", path, a.status, status, a.body)
	}
	return nil
}

func (r *running) must(path, token string, status int) answer {
	r.t.Helper()
	a := r.get(path, token)
	if a.status != status {
		r.t.Fatalf("%s answers %d, not %d: %s", path, a.status, status, a.body)
	}
	return a
}

// alarmed returns an error unless an alarm is on.
func (r *running) alarmed(kind telemetry.AlarmKind, log string) error {
	list := r.edge.alarms.List()
	for _, a := range list {
		if a.Kind == kind && a.Subject == log {
			return nil
		}
	}
	return fmt.Errorf("%s of %q is not among the alarms %v", kind, log, list)
}

// quiet returns an error while any alarm is on.
func (r *running) quiet() error {
	if list := r.edge.alarms.List(); len(list) > 0 {
		return fmt.Errorf("alarms: %v", list)
	}
	return nil
}

// site is a project with a public and a private collection, and a key that may read both.
type site struct {
	core         *core
	organization string
	project      string
	token        string
	key          content.KeyID
	number       uint64
}

func (c *core) site() *site {
	c.t.Helper()
	s := &site{
		core: c, key: content.NewID[content.KeyID](), organization: string(content.NewID[content.OrganizationID]()), project: string(content.NewID[content.ProjectID]()),
	}
	secret := credential.Mint(credential.APIKey)
	hash := secret.Hash()
	s.token = secret.Text()
	private, err := schema.Parse([]byte(`{"name":"notes","label":"Notes","kind":"collection","visibility":"private","fields":{"title":{"type":"text","label":"Title"}}}`))
	if err != nil {
		c.t.Fatal(err)
	}
	collections := followtest.Schema("posts", 1, 1)
	collections.Collections = append([]*recordpb.CollectionVersion{{
		Name: "notes", Version: 1, Canonical: private.Canonical(), Hash: private.Hash(), Label: "Notes",
	}}, collections.Collections...)
	c.relay(
		c.logs.Append(s.organization, followtest.Organization(s.organization)),
		c.logs.Append(s.organization, &recordpb.Key{
			Id: string(s.key), PublicId: secret.PublicID, Hash: hash[:], Scopes: []string{"content:read"},
		}),
		c.logs.Append(s.project, followtest.Project(s.project, s.organization, 1)),
		c.logs.Append(s.project, collections),
	)
	s.publish("one", "two", "three")
	return s
}

// publish makes a release of new posts.
func (s *site) publish(slugs ...string) { s.core.relay(s.release(slugs...)) }

// release makes one that the stream does not carry.
func (s *site) release(slugs ...string) *record.Change {
	s.number++
	var items []*recordpb.Item
	for _, slug := range slugs {
		items = append(items, followtest.Put(followtest.Entry(), slug, fmt.Sprintf(`{"title":%q,"slug":%q}`, slug, slug)))
	}
	return s.core.logs.Append(s.project, followtest.Release(s.number, items...))
}

func (s *site) path(rest string) string { return "/v1/projects/" + s.project + "/collections" + rest }

func TestAnEdgeFollowsServesAndPassesOn(t *testing.T) {
	c := startCore(t)
	s := c.site()
	e := start(t, c.config(t.TempDir()))
	until(t, "the edge is ready", func() error { return e.gets("/readyz", "", http.StatusOK) })

	e.must("/healthz", "", http.StatusOK)
	list := e.must(s.path("/posts/entries"), "", http.StatusOK)
	if !strings.Contains(list.body, `"slug":"two"`) || list.header.Get("Svc-Release") != "1" || list.header.Get("Svc-Stale") != "" {
		t.Errorf("%v %s", list.header, list.body)
	}
	e.must(s.path("/notes/entries"), "", http.StatusUnauthorized)
	e.must(s.path("/notes/entries"), s.token, http.StatusOK)
	until(t, "a statement tells of the key and the reads", func() error {
		statements, err := c.conn.UsageStatements(t.Context())
		if err != nil {
			return err
		}
		for _, stated := range statements {
			u, err := usage.Decode(stated.Data)
			if err == nil && u.KeysUsed[s.key] > 0 && len(u.Totals) == 1 && u.Totals[0].Meter == usage.PublicAPIRequests && u.Totals[0].Total == 3 {
				return nil
			}
		}
		return fmt.Errorf("%d statements, and none says so", len(statements))
	})
	if a := e.must("/v1/auth/whoami?x=y", "", http.StatusTeapot); a.header.Get("X-Core") != "GET /v1/auth/whoami?x=y" {
		t.Errorf("core was asked for %q", a.header.Get("X-Core"))
	}
	e.must("/internal/v1/logs", "", http.StatusNotFound)
	metrics := &running{t: t, base: "http://" + e.edge.admin.Addr().String()}
	if a := metrics.must("/metrics", "", http.StatusOK); !strings.Contains(a.body, "\nsvc_") || !strings.Contains(a.body, "\ngo_goroutines ") {
		t.Errorf("metrics: %.500s", a.body)
	}
	if a := e.must("/metrics", "", http.StatusTeapot); a.header.Get("X-Core") != "GET /metrics" {
		t.Error("metrics are shown to everybody")
	}

	s.publish("four")
	until(t, "the release is there", func() error { return e.gets(s.path("/posts/entries/four"), "", http.StatusOK) })
}

// A readiness that knew nothing of lag would send readers to an edge that has not got what others serve.
func TestAnEdgeThatIsBehindIsNotReady(t *testing.T) {
	c := startCore(t)
	s := c.site()
	c.refuse(true)
	s.release("lost on the stream") // so the edge has to ask for it
	e := start(t, c.config(t.TempDir()))
	until(t, "the edge says what it lacks", func() error {
		if a := e.get("/readyz", ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "behind core") {
			return fmt.Errorf("%d %s", a.status, a.body)
		}
		return nil
	})
	e.must("/healthz", "", http.StatusOK)
	c.refuse(false)
	until(t, "the edge is ready", func() error { return e.gets("/readyz", "", http.StatusOK) })
}

// With core, the stream and Redis gone every public read is answered and says that it may be old; private reads close
// when credentials are too old; and an edge that is restarted then serves what it had.
func TestAnEdgeAloneGoesOnServing(t *testing.T) {
	c := startCore(t)
	s := c.site()
	cfg := c.config(t.TempDir())
	cfg.CredentialMaxAge = 2 * time.Second
	e := start(t, cfg)
	until(t, "the edge is ready", func() error { return e.gets("/readyz", "", http.StatusOK) })
	private, posts := s.path("/notes/entries"), s.path("/posts/entries")
	until(t, "private reads are answered", func() error { return e.gets(private, s.token, http.StatusOK) })
	before := e.must(posts, "", http.StatusOK)

	c.stop()
	c.nats.Kill(t)
	c.redis.Kill(t)
	serves := func(e *running) (stale string) {
		t.Helper()
		for _, path := range []string{posts, s.path("/posts/entries/one"), s.path("")} {
			stale = e.must(path, "", http.StatusOK).header.Get("Svc-Stale")
		}
		if now := e.must(posts, s.token, http.StatusOK); now.body != before.body || now.header.Get("Etag") != before.header.Get("Etag") {
			t.Fatalf("%v %s", now.header, now.body)
		}
		return stale
	}
	until(t, "private reads are closed", func() error {
		serves(e)
		return e.gets(private, s.token, http.StatusServiceUnavailable)
	})
	if a := e.get(private, s.token); a.header.Get("Retry-After") == "" || !strings.Contains(a.body, `"code":"UNAVAILABLE"`) {
		t.Errorf("%v %s", a.header, a.body)
	}
	e.must(private, "", http.StatusUnauthorized)
	e.must("/v1/auth/whoami", "", http.StatusServiceUnavailable)
	until(t, "reads say that they are old", func() error {
		if serves(e) == "" {
			return fmt.Errorf("no svc-stale")
		}
		return nil
	})
	until(t, "alarms say so", func() error {
		return errors.Join(e.alarmed(telemetry.CoreSilent, ""), e.alarmed(telemetry.StreamAway, ""))
	})
	e.must("/readyz", "", http.StatusOK)
	e.stop()

	again := start(t, cfg)
	until(t, "the restarted edge is ready", func() error { return again.gets("/readyz", "", http.StatusOK) })
	if stale := serves(again); len(stale) == 0 || len(stale) > 3 {
		t.Errorf("a restarted edge that heard nothing says svc-stale: %q", stale)
	}
	again.must(private, s.token, http.StatusServiceUnavailable)

	c.nats.Start(t)
	c.redis.Start(t)
	c.start()
	s.publish("after")
	until(t, "what was published meanwhile is there", func() error { return again.gets(s.path("/posts/entries/after"), "", http.StatusOK) })
	until(t, "private reads are answered again", func() error { return again.gets(private, s.token, http.StatusOK) })
	if a := again.must(posts, "", http.StatusOK); a.header.Get("Svc-Stale") != "" {
		t.Errorf("svc-stale: %s", a.header.Get("Svc-Stale"))
	}
	until(t, "the alarm is over", again.quiet)
}

func TestConfigNamesEveryFault(t *testing.T) {
	cfg := Config{Listen: "nowhere", AdminListen: "nowhere", ID: "Edge 1", ClusterSecret: "short", Memory: 1, AnswerCache: -2, Projects: []string{"x"}, Drain: -1}
	err := cfg.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, name := range []string{
		"SVC_EDGE_LISTEN", "SVC_EDGE_ID", "SVC_EDGE_DIR", "SVC_CLUSTER_SECRET", "SVC_EDGE_MEMORY", "SVC_EDGE_ANSWER_CACHE", "SVC_EDGE_PROJECTS",
		"SVC_EDGE_ADMIN_LISTEN", "SVC_CREDENTIAL_MAX_AGE", "SVC_EDGE_DRAIN", "SVC_READ_RATE", "SVC_S3_ENDPOINT",
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}
