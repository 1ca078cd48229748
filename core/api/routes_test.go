package api_test

import (
	"slices"
	"strings"
	"testing"

	"svc/core/api"
	"svc/shared/credential"
	"svc/shared/fault"
)

const everyScope = `"scopes":["assets:read","assets:write","assets:delete","content:read","content:write","content:publish",
	"content:review","schema:read","schema:write","webhooks:manage","reports:read","reports:write","analytics:read",
	"analytics:write","project:admin","org:admin"]`

// TestEveryRouteKnowsWhoMayCallIt goes through the route table: whatever a route does, it refuses these callers first.
func TestEveryRouteKnowsWhoMayCallIt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	stranger := b.call(b.owner, "POST", "/v1/organizations", `{"slug":"globex"}`).is(201).at("data.secret")
	b.call(b.owner, "POST", "/v1/organizations/acme/projects", `{"slug":"other"}`).is(201)
	elsewhere := b.call(b.owner, "POST", "/v1/projects/other/api-keys", `{"label":"other",`+everyScope+`}`).is(201).at("secret")
	revoked := b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", `{"label":"gone",`+everyScope+`}`).is(201)
	b.call(b.owner, "DELETE", "/v1/organizations/acme/api-keys/"+revoked.at("key.id"), "").is(200)
	expired := b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", `{"label":"late",`+everyScope+`}`).is(201)
	_, err := b.pool.Exec(t.Context(), `UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`, expired.at("key.id"))
	b.ok(err)
	confined := b.key(`{"label":"posts","collections":["posts"],` + everyScope + `}`)
	parts := strings.Split(b.owner, "_")
	forged := strings.Join(parts[:3], "_") + "_" + strings.Repeat("0", len(parts[3]))
	without := map[credential.Scope]string{}
	for _, s := range credential.Scopes() {
		without[s] = b.scoped(slices.DeleteFunc(credential.Scopes(), func(o credential.Scope) bool { return o == s })...)
	}

	for _, r := range api.Table() {
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			b := b.in(t)
			path := strings.NewReplacer(":organization", "acme", ":project", "site", ":collection", "authors",
				":entry", "ent_00000000000000000000000000", ":changeSet", "chs_00000000000000000000000000",
				":release", "1", ":revision", "rev_00000000000000000000000000", ":resource", "x", ":key", "x", ":preview", "x").Replace(r.Path)
			body := ""
			if r.Method != "GET" && r.Method != "DELETE" {
				body = `{"no such member":1}` // a caller who came so far would meet this
			}
			for _, key := range []string{"", "nonsense", revoked.at("secret"), expired.at("secret"), forged,
				"svc_sk_0000000000000000_0000000000000000000000000000000000000000"} {
				a := b.call(key, r.Method, path, body).refused(fault.AuthenticationRequired)
				if a.header.Get("Www-Authenticate") != "Bearer" {
					t.Error("a 401 names its scheme")
				}
			}
			if strings.Contains(r.Path, ":organization") || strings.Contains(r.Path, ":project") && !r.Anywhere {
				b.call(stranger, r.Method, path, body).refused(fault.NotFound)
			}
			if strings.Contains(r.Path, ":project") && !r.Anywhere {
				b.call(elsewhere, r.Method, path, body).refused(fault.NotFound)
			}
			if strings.Contains(r.Path, ":collection") || r.Whole {
				b.call(confined, r.Method, path, body).refused(fault.Forbidden)
			}
			if r.Scope != "" {
				b.call(without[r.Scope], r.Method, path, body).refused(fault.Forbidden)
			}
			b.call(b.owner, r.Method, path+"?surprise=1", body).refused(fault.ValidationFailed, "surprise")
			for _, name := range r.Query {
				for _, bad := range []string{"=1&" + name + "=1", "=", "=%00", "=%ff"} {
					if name == "q" && bad == "=" {
						continue // an empty search finds everything
					}
					b.call(b.owner, r.Method, path+"?"+name+bad, body).refused(fault.ValidationFailed, name)
				}
			}
		})
	}
}

// TestProjectsGoByIDAndBySlug calls every route of a project with both.
func TestProjectsGoByIDAndBySlug(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := b.call(b.owner, "GET", "/v1/projects/site", "").at("data.id")
	for _, r := range api.Table() {
		if r.Method != "GET" || !strings.HasPrefix(r.Path, "/v1/projects/:project") {
			continue
		}
		fill := strings.NewReplacer(":collection", "posts", ":entry", "x", ":changeSet", "x", ":release", "1", ":revision", "x", ":preview", "x")
		path := fill.Replace(r.Path)
		by := func(ref string) answer { return b.call(b.owner, "GET", strings.Replace(path, ":project", ref, 1), "") }
		if one, two := by("site"), by(id); one.status != two.status || one.at("data") != two.at("data") || one.at("detail") != two.at("detail") {
			t.Errorf("%s: %s and %s", r.Path, one.body, two.body)
		}
	}
}
