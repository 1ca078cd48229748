package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPreviewsLiveAsLongAsAsked: an hour, or as many seconds as the request says.
func TestPreviewsLiveAsLongAsAsked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	for body, want := range map[string]time.Duration{
		`{}`: time.Hour, `{"expiresInSeconds":60}`: time.Minute, `{"expiresInSeconds":2592000}`: 30 * 24 * time.Hour,
	} {
		made := b.call(b.owner, "POST", sets+"/"+set+"/previews", body).is(201)
		from, err := time.Parse(time.RFC3339, made.at("data.preview.createdAt"))
		b.ok(err)
		to, err := time.Parse(time.RFC3339, made.at("data.preview.expiresAt"))
		b.ok(err)
		if to.Sub(from) != want {
			t.Errorf("%s lives for %s, want %s", body, to.Sub(from), want)
		}
	}
	mine := b.key(fmt.Sprintf(`{"label":"short","scopes":["content:read","content:write"],"expiresAt":%q}`, time.Now().Add(30*time.Minute).Format(time.RFC3339)))
	b.call(mine, "POST", sets+"/"+set+"/previews", `{}`).refused("FORBIDDEN")
	b.call(mine, "POST", sets+"/"+set+"/previews", `{"expiresInSeconds":1200}`).is(201)
}

// TestTheDocumentTellsOfPreviews: how long tokens may live, which is what the route takes, and what they read besides drafts.
func TestTheDocumentTellsOfPreviews(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	document := b.call("", "GET", "/openapi.json", "").is(200)
	const life = "components.schemas.NewPreview.properties.expiresInSeconds."
	least, err := strconv.Atoi(document.at(life + "minimum"))
	b.ok(err)
	most, err := strconv.Atoi(document.at(life + "maximum"))
	b.ok(err)
	previews := sets + "/" + b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id") + "/previews"
	for seconds, status := range map[int]int{least - 1: 400, least: 201, most: 201, most + 1: 400} {
		b.call(b.owner, "POST", previews, fmt.Sprintf(`{"expiresInSeconds":%d}`, seconds)).is(status)
	}
	const note = "The token also reads everything that is published, in private collections too"
	if !strings.Contains(document.at("paths./v1/projects/{project}/change-sets/{changeSet}/previews.post.description"), note) {
		t.Errorf("the document does not say: %s", note)
	}
}

// TestPreviewsAreNeverKept: whatever a read with a preview token answers, no cache keeps it and no search engine lists it.
func TestPreviewsAreNeverKept(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	written := b.call(b.owner, "POST", entries, `{"data":{"title":"Crocus","slug":"crocus"}}`).is(201)
	token := b.call(b.owner, "POST", sets+"/"+written.at("data.changeSet.id")+"/previews", `{}`).is(201).at("data.token")
	for path, status := range map[string]int{
		entries: 200, entries + "/crocus": 200, entries + "/crocus/references": 200, entries + "/nothing": 404, entries + "?limit=x": 400,
		entries + "?at=1": 400, "/v1/projects/site/collections/secrets/entries": 200, "/v1/projects/site/collections/none/entries": 404,
		"/v1/projects/site/collections": 200, "/v1/projects/nowhere/collections/posts/entries": 404, "/v1/previews/resolve": 200,
		"/v1/previews/resolve?x=1": 400, "/v1/projects/site/live": 401,
	} {
		for _, given := range []string{token, "svc_prv_0000000000000000_0000000000000000000000000000000000000000", "svc_prv_x"} {
			a := b.call(given, "GET", path, "")
			if given == token {
				a.is(status)
			}
			if robots := a.header.Get("X-Robots-Tag"); a.header.Get("Cache-Control") != "no-store" || robots != "noindex, nofollow" || a.header.Get("Cache-Tag") != "" {
				t.Errorf("%s with %s: %d %v", path, given, a.status, a.header)
			}
		}
	}
	for _, given := range []string{token, token + "%zz"} {
		for _, name := range []string{"preview", "token"} {
			if a := b.call("", "GET", entries+"/crocus?"+name+"="+given, ""); a.header.Get("X-Robots-Tag") == "" || (a.status == 200) != (given == token) {
				t.Errorf("in the query, as %s=%s: %d %v", name, given, a.status, a.header)
			}
		}
	}
	if a := b.call("", "GET", entries, "").is(200); a.header.Get("X-Robots-Tag") != "" || a.header.Get("Cache-Control") == "no-store" {
		t.Errorf("without a token: %v", a.header)
	}
}

// TestEveryOriginMayResolvePreviews: by a preflight, and by what is answered and refused; other reads go by the project's list.
func TestEveryOriginMayResolvePreviews(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	token := b.call(b.owner, "POST", sets+"/"+set+"/previews", `{}`).is(201).at("data.token")
	const from = "Origin: https://anywhere.example"
	for _, a := range []answer{
		b.call(token, "GET", "/v1/previews/resolve", "", from).is(200), b.call(token, "HEAD", "/v1/previews/resolve", "", from).is(200),
		b.call("", "GET", "/v1/previews/resolve", "", from).is(401), b.call(token, "GET", "/v1/previews/resolve?x=1", "", from).is(400),
		b.call(token, "DELETE", "/v1/previews/resolve", "", from).is(405),
		b.call("", "OPTIONS", "/v1/previews/resolve", "", from, "Access-Control-Request-Headers: authorization").is(204),
	} {
		if got := a.header.Get("Access-Control-Allow-Origin"); got != "*" {
			t.Errorf("%s: %q", a.what, got)
		}
		if a.status == 204 && (a.header.Get("Access-Control-Allow-Headers") != "authorization" || a.header.Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS") {
			t.Errorf("%s: %v", a.what, a.header)
		}
	}
	if got := b.call(token, "GET", entries, "", from).is(200).header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("a read: %q", got)
	}
}

// TestPreviewsEndAtTheirTime: from then on, they are refused by reads and by the route that resolves them.
func TestPreviewsEndAtTheirTime(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	made := b.call(b.owner, "POST", sets+"/"+set+"/previews", `{}`).is(201)
	token := made.at("data.token")
	b.call(token, "GET", entries, "").is(200)
	_, err := b.pool.Exec(t.Context(), `UPDATE preview SET expires_at = now() - interval '1 millisecond' WHERE id = $1`, made.at("data.preview.id"))
	b.ok(err)
	b.call(token, "GET", entries, "").refused("AUTHENTICATION_REQUIRED")
	b.call("", "GET", entries+"?preview="+token, "").refused("AUTHENTICATION_REQUIRED")
	b.call(token, "GET", "/v1/previews/resolve", "").refused("AUTHENTICATION_REQUIRED")
	b.call(b.owner, "GET", "/v1/projects/site/previews/"+made.at("data.preview.id"), "").is(200)
}

// TestOnlyHashesOfPreviewsAreStored: nothing that the database holds opens a preview.
func TestOnlyHashesOfPreviewsAreStored(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	token := b.call(b.owner, "POST", sets+"/"+set+"/previews", `{}`).is(201).at("data.token")
	var row string
	b.ok(b.pool.QueryRow(t.Context(), `SELECT preview::text FROM preview`).Scan(&row))
	if secret := token[strings.LastIndex(token, "_")+1:]; strings.Contains(row, secret) || b.logs.find(secret) != "" {
		t.Error("the secret is stored or logged")
	}
}

// TestPreviewsAreWalkedWhileTheyAreEdited: behind a row whose draft is replaced, or unstaged, the list goes on, however long the
// text is that it is ordered by.
func TestPreviewsAreWalkedWhileTheyAreEdited(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.call(b.owner, "POST", "/v1/projects/site/schema/push",
		`{"collections":[{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}],"allowDestructive":true}`).is(200)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	long := strings.Repeat("long ", 60)
	for n := range 3 {
		b.call(b.owner, "POST", entries, fmt.Sprintf(`{"data":{"title":"%s%d"},"changeSetId":%q}`, long, n, set)).is(201)
	}
	token := b.call(b.owner, "POST", sets+"/"+set+"/previews", `{}`).is(201).at("data.token")
	const list = entries + "?order=title&limit=1&fields=title"
	first := b.call(token, "GET", list, "").is(200)
	b.call(b.owner, "PATCH", "/v1/projects/site/entries/"+first.at("data.0.id"), `{"data":{"title":"a"}}`).is(200)
	second := b.call(token, "GET", list+"&cursor="+first.at("pagination.nextCursor"), "").is(200)
	b.call(b.owner, "DELETE", sets+"/"+set+"/items/"+second.at("data.0.id"), "").is(200)
	third := b.call(token, "GET", list+"&cursor="+second.at("pagination.nextCursor"), "").is(200)
	if second.at("data.0.fields.title") != long+"1" || third.at("data.0.fields.title") != long+"2" {
		t.Errorf("after %s come %s and %s", first.body, second.body, third.body)
	}
}

// TestPreviewsResolveToTheSlugThatReadsShow, which is none once the collection has no slugs.
func TestPreviewsResolveToTheSlugThatReadsShow(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	written := b.call(b.owner, "POST", entries, `{"data":{"title":"Crocus","slug":"crocus"}}`).is(201)
	previews := sets + "/" + written.at("data.changeSet.id") + "/previews"
	token := b.call(b.owner, "POST", previews, fmt.Sprintf(`{"entryId":%q}`, written.at("data.entry.id"))).is(201).at("data.token")
	for _, slug := range []string{"crocus", "null"} {
		resolved, read := b.call(token, "GET", "/v1/previews/resolve", "").is(200), b.call(token, "GET", entries, "").is(200)
		if got, shown := resolved.at("data.entry.slug"), read.at("data.0.slug"); got != slug || shown != slug {
			t.Errorf("resolved to %s, and read as %s, want %s", got, shown, slug)
		}
		b.call(b.owner, "POST", "/v1/projects/site/schema/push",
			`{"collections":[{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}],"allowDestructive":true}`).is(200)
	}
}
