package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// grants are keys of the matrix by name. "none" is no key.
var grants = map[string]credential.Grant{
	"reader": {Scopes: []credential.Scope{credential.ContentRead}},
	"people": {Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"people"}},
	"notes":  {Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"notes"}},
	"writer": {Scopes: []credential.Scope{credential.ContentWrite}},
}

// released is when release n of the matrix was published.
func released(n uint64) time.Time { return time.Date(2024, 3, int(n), 12, 0, 0, 0, time.UTC) }

// putMatrix makes the projects "shop", "pinned" (to release 1) and "closed" (whose public API is off), each with two releases, and
// returns the secrets of the keys.
func putMatrix(t *testing.T, m *readtest.Memory) map[string]string {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, slug := range []string{"shop", "pinned", "closed"} {
		id := readtest.Project(uint64(n + 1))
		settings := readtest.Settings{From: 1, Project: read.Project{
			ID: id, Organization: readtest.Organization(1), Slug: slug, PublicAPIEnabled: slug != "closed", CursorKey: make([]byte, 32),
			AllowedOrigins: []string{"https://shop.example"},
		}}
		must(m.PutSettings(ctx, settings))
		version := func(name, rest string) readtest.Version {
			return readtest.Version{Name: name, Version: 1, Label: name, Canonical: []byte(`{"name":"` + name + `",` + rest + `}`)}
		}
		must(m.PutSchema(ctx, id, readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{
			version("posts", `"visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"},"by":{"type":"reference","to":"people"},"about":{"type":"reference","to":"notes"},"next":{"type":"reference","to":"posts"}}`),
			version("home", `"kind":"singleton","visibility":"public","fields":{"title":{"type":"text"}}`),
			version("people", `"fields":{"name":{"type":"text"}}`),
			version("notes", `"fields":{"text":{"type":"text"}}`),
		}}))
		item := func(n uint64, collection, slug, fields string) readtest.Item {
			return readtest.Item{Entry: readtest.Entry(n), Revision: readtest.Revision(n), Collection: collection, SchemaVersion: 1, Slug: slug, Fields: fields}
		}
		long := strings.Repeat("Words. ", 300)
		must(m.Publish(ctx, id, readtest.Release{Release: content.Release{Number: 1, PublishedAt: released(1)}, Items: []readtest.Item{
			item(1, "posts", "long", fmt.Sprintf(`{"title":%q,"slug":"long","by":%q,"about":%q,"next":%q}`, long, readtest.Entry(3), readtest.Entry(4), readtest.Entry(1))),
			item(3, "people", "", `{"name":"secret name"}`),
			item(4, "notes", "", `{"text":"secret note"}`),
			item(5, "home", "", `{"title":"Home"}`),
		}}))
		must(m.Publish(ctx, id, readtest.Release{Release: content.Release{Number: 2, PublishedAt: released(2)}, Items: []readtest.Item{
			item(2, "posts", "short", `{"title":"Short","slug":"short"}`),
		}}))
		if slug == "pinned" {
			settings.From, settings.Pinned = 3, 1
			must(m.PutSettings(ctx, settings))
		}
	}
	must(m.Settle(ctx, released(20)))
	secrets := map[string]string{}
	for name, g := range grants {
		secret := credential.Mint(credential.APIKey)
		g.Key, g.PublicID, g.Hash, g.Organization = content.KeyID("key_"+name), secret.PublicID, secret.Hash(), readtest.Organization(1)
		must(m.PutKey(ctx, g))
		secrets[name] = secret.Text()
	}
	return secrets
}

// TestAnswersOfOneGrantAreNotServedToAnother: no matter who asks before and what they claim to have, a caller gets what the own key opens.
func TestAnswersOfOneGrantAreNotServedToAnother(t *testing.T) {
	t.Parallel()
	m := readtest.NewMemory()
	secrets := putMatrix(t, m)
	secrets[""] = ""
	site := readtest.HTTPSite(m, startOn(t, m, coreOver(m), Config{Engine: atEdge(m)}).origin)
	people := []string{"", "people", "notes", "reader"}
	opens := map[string]string{"": "", "people": "secret name", "notes": "secret note", "reader": "secret name, secret note"}
	for _, path := range []string{
		"posts/entries?include=by,about", "posts/entries/long?include=by,about", "posts/entries?include=by,about&at=1", "posts/entries?include=by,about&representation=rendered",
		"people/entries", "notes/entries", "people/entries?q=secret", "notes/entries?at=1",
	} {
		tags := map[string]string{}
		eachOrder(people, func(order []string) {
			for _, who := range order {
				a := asked{path: "shop/collections/" + path, key: who}
				for other, tag := range tags {
					a.header = "If-None-Match: " + tag
					if got := a.ask(t, site, secrets, http.MethodGet, "", ""); (got.Status == 304) != (tags[who] == tag) && tags[who] != "" {
						t.Errorf("%s, as %q with the tag of %q: %d", path, who, other, got.Status)
					}
				}
				a.header = ""
				got := a.ask(t, site, secrets, http.MethodGet, "", "")
				collection, _, _ := strings.Cut(path, "/")
				for _, secret := range []string{"secret name", "secret note"} {
					belongs := collection == "posts" || collection == map[string]string{"secret name": "people", "secret note": "notes"}[secret]
					if may := belongs && strings.Contains(opens[who], secret); may != strings.Contains(string(got.Body), secret) {
						t.Errorf("%s, as %q after %q: %d %s", path, who, order, got.Status, got.Body)
					}
				}
				if public := strings.HasPrefix(got.Headers["cache-control"], "public"); public && who != "" || !public && who == "" && collection == "posts" {
					t.Errorf("%s, as %q: %s", path, who, got.Headers["cache-control"])
				}
				if tag := got.Headers["etag"]; tag != "" {
					tags[who] = tag
				}
			}
		})
		for a, tag := range tags {
			for b, other := range tags {
				if a != b && tag == other && opens[a] != opens[b] && strings.HasPrefix(path, "posts") {
					t.Errorf("%s: %q and %q have one tag for different answers", path, a, b)
				}
			}
		}
	}
}

// eachOrder calls do with every order of the names.
func eachOrder(names []string, do func(order []string)) {
	var arrange func(n int)
	arrange = func(n int) {
		if n == len(names) {
			do(names)
			return
		}
		for i := n; i < len(names); i++ {
			names[n], names[i] = names[i], names[n]
			arrange(n + 1)
			names[n], names[i] = names[i], names[n]
		}
	}
	arrange(0)
}
