package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/account"
	"svc/core/api"
	"svc/core/postgres/postgrestest"
	"svc/core/preview"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/read"
)

// bed is the API on a server, over a database of its own that has the organization "acme".
type bed struct {
	testing.TB
	pool  *pgxpool.Pool
	api   *api.Server
	url   string
	org   content.OrganizationID
	owner string // a key with every scope
	logs  *logs
}

// emptyBed has an organization alone.
func emptyBed(t testing.TB, edit ...func(*api.Config)) *bed {
	t.Helper()
	return bedOn(t, postgrestest.Open(t), edit...)
}

// bedOn is emptyBed over this database.
func bedOn(t testing.TB, pool *pgxpool.Pool, edit ...func(*api.Config)) *bed {
	t.Helper()
	made, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme", Name: "Acme"}, "owner")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, pool, made.Organization.ID, made.Secret, edit...)
}

// serve serves a database that has an organization with this key.
func serve(t testing.TB, pool *pgxpool.Pool, org content.OrganizationID, owner string, edit ...func(*api.Config)) *bed {
	t.Helper()
	b := &bed{TB: t, pool: pool, logs: &logs{}, org: org, owner: owner}
	cfg := config(b.pool, b.logs)
	for _, e := range edit {
		e(&cfg)
	}
	b.api = api.New(cfg)
	api.SetTimes(b.api, 5*time.Minute) // no test is about how fast the machine is
	server := httptest.NewServer(b.api)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func config(pool *pgxpool.Pool, l *logs) api.Config {
	return api.Config{
		Pool: pool,
		Reader: &read.Engine{
			Store: preview.New(pool, 0), Keys: preview.Keys{Pool: pool}, Previews: preview.Tokens{Pool: pool}, Now: time.Now, LocalOrigins: true,
		},
		Fleet:    func(context.Context) ([]wire.Edge, error) { return nil, nil },
		Internal: http.NotFoundHandler(),
		Ready:    func() []string { return nil },
		Requests: api.NewMetrics(nil),
		Logger:   slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

const (
	posts = `{"name":"posts","visibility":"public","titleField":"title","fields":{
		"title":{"type":"text","required":true,"maxLength":80},"slug":{"type":"slug"},"body":{"type":"markdown"},
		"rating":{"type":"number"},"extra":{"type":"json"},"author":{"type":"reference","to":"authors"}}}`
	authors = `{"name":"authors","visibility":"public","titleField":"name","fields":{"name":{"type":"text","required":true}}}`
	secrets = `{"name":"secrets","fields":{"note":{"type":"text"}}}`
	home    = `{"name":"home","kind":"singleton","visibility":"public","fields":{"headline":{"type":"text"}}}`
)

// newBed has the project "site" with collections too.
func newBed(t testing.TB, edit ...func(*api.Config)) *bed {
	t.Helper()
	pool := postgrestest.OpenFilled(t, "api", func(_ context.Context, pool *pgxpool.Pool) error {
		b := bedOn(t, pool)
		b.furnish()
		furnished.Store(b)
		return nil
	})
	b := furnished.Load()
	return serve(t, pool, b.org, b.owner, edit...)
}

// furnished is the bed whose database those of newBed are copies of.
var furnished atomic.Pointer[bed]

func (b *bed) furnish() {
	b.Helper()
	b.call(b.owner, "POST", "/v1/organizations/acme/projects", `{"slug":"site","name":"Site"}`).is(201)
	b.call(b.owner, "POST", "/v1/projects/site/schema/push",
		`{"collections":[`+posts+`,`+authors+`,`+secrets+`,`+home+`]}`).is(200)
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// in is the bed for a subtest.
func (b *bed) in(t testing.TB) *bed {
	sub := *b
	sub.TB = t
	return &sub
}

// key mints a key of the organization.
func (b *bed) key(body string) string {
	b.Helper()
	return b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", body).is(201).at("secret")
}

// scoped mints a key of the organization with some scopes, in the form of JSON strings.
func (b *bed) scoped(scopes ...credential.Scope) string {
	b.Helper()
	list, err := json.Marshal(scopes)
	b.ok(err)
	return b.key(`{"label":"test","scopes":` + string(list) + `}`)
}

// call makes a request. A body goes as JSON unless a header says otherwise; headers are "Name: value".
func (b *bed) call(key, method, path, body string, headers ...string) answer {
	b.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	return b.send(key, method, path, in, headers...)
}

func (b *bed) send(key, method, path string, body io.Reader, headers ...string) answer {
	b.Helper()
	a, err := b.try(key, method, path, body, headers...)
	b.ok(err)
	return a
}

// later makes a request in the background. A request that gets no answer is an error, and an answer without a status.
func (b *bed) later(key, method, path string, body io.Reader, headers ...string) <-chan answer {
	answered := make(chan answer, 1)
	go func() {
		a, err := b.try(key, method, path, body, headers...)
		if err != nil {
			b.Error(err)
		}
		answered <- a
	}()
	return answered
}

func (b *bed) try(key, method, path string, body io.Reader, headers ...string) (answer, error) {
	a := answer{TB: b, what: method + " " + path}
	r, err := http.NewRequestWithContext(b.Context(), method, b.url+path, body)
	if err != nil {
		return a, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := client.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	a.body, err = io.ReadAll(response.Body)
	return a, err
}

var client = &http.Client{
	Timeout:       5 * time.Minute, // of an import of ten thousand rows under the race detector
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{},
}

// answer is what came back.
type answer struct {
	testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

func (a answer) is(status int) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("%s answered %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}

// refused checks that the answer is a well-formed problem of this code; where paths are given, that its errors are
// about them.
func (a answer) refused(code fault.Code, paths ...string) answer {
	a.Helper()
	a.is(problem.Status(code))
	id := a.header.Get("Svc-Request-Id")
	if a.header.Get("Content-Type") != problem.ContentType || a.at("code") != string(code) || a.at("requestId") != id ||
		a.at("status") == "" || a.at("type") == "" || a.at("title") == "" || a.at("detail") == "" || a.header.Get("Cache-Control") != "no-store" {
		a.Fatalf("%s: a malformed problem: %v %s", a.what, a.header, a.body)
	}
	for i, path := range paths {
		if got := a.at("errors." + itoa(i) + ".path"); got != path {
			a.Fatalf("%s: the fault is about %q, want %q: %s", a.what, got, path, a.body)
		}
	}
	return a
}

func itoa(n int) string { return string(rune('0' + n)) }

// at returns the value at a place such as "data.entry.id": a string's text, else JSON; nothing where there is none.
func (a answer) at(place string) string {
	a.Helper()
	v := jsontext.Value(a.body)
	for name := range strings.SplitSeq(place, ".") {
		v = child(v, name)
	}
	if v.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			a.Fatal(err)
		}
		return string(text)
	}
	return string(v)
}

func child(v jsontext.Value, name string) jsontext.Value {
	switch v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members) == nil {
			return members[name]
		}
	case '[':
		var items []jsontext.Value
		if json.Unmarshal(v, &items) == nil && len(name) == 1 && int(name[0]-'0') < len(items) {
			return items[name[0]-'0']
		}
	}
	return nil
}

// logs collects what the API logs.
type logs struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

// find returns the first line that holds all of these.
func (l *logs) find(parts ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
lines:
	for line := range strings.Lines(l.all.String()) {
		for _, p := range parts {
			if !strings.Contains(line, p) {
				continue lines
			}
		}
		return line
	}
	return ""
}

// eventually waits for something that another goroutine does.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatal(errors.Join(errors.New("never "+what), ctx.Err()))
		case <-tick.C:
		}
	}
}
