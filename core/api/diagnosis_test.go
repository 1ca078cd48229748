package api_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/core/access"
	"svc/core/account"
	"svc/core/api"
	"svc/shared/credential"
	"svc/shared/fault"
)

// row is how a check of an answer ended.
func (a answer) row(n int) (name, state string) {
	at := "data.checks." + itoa(n) + "."
	name, remedy := a.at(at+"name"), a.at(at+"remedy")
	switch {
	case a.at(at+"detail") == "":
		return name, "without a detail"
	case a.at(at+"passed") == "true" && remedy == "null":
		return name, "passed"
	case a.at(at+"passed") == "false" && remedy == "null" && strings.HasPrefix(a.at(at+"detail"), "not reached"):
		return name, "not reached"
	case a.at(at+"passed") == "false" && remedy != "null":
		return name, "failed"
	}
	return name, "malformed"
}

// fails checks that a check fails, that those before it passed and that those behind it were not reached; "" fails none.
func (a answer) fails(failing string, checks ...string) {
	a.Helper()
	a.is(200)
	want := "passed"
	for n, check := range checks {
		expected := want
		if check == failing {
			expected, want = "failed", "not reached"
		}
		if name, state := a.row(n); name != check || state != expected {
			a.Errorf("%s: the check %s %s, want %s %s: %s", a.what, name, state, check, expected, a.body)
		}
	}
	if allowed := a.at("data.allowed") == "true"; allowed != (failing == "") || a.at("data.checks."+itoa(len(checks))) != "" {
		a.Errorf("%s: allowed %v: %s", a.what, allowed, a.body)
	}
}

const previewToken = "svc_prv_0000000000000000_0000000000000000000000000000000000000000"

// TestAccessMakesItsChecksInOrder: each check fails once, and says what to do.
func TestAccessMakesItsChecksInOrder(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	reader := b.scoped(credential.ContentRead)
	confined := b.key(`{"label":"posts","collections":["posts"],` + everyScope + `}`)
	ofProject := b.call(b.owner, "POST", "/v1/projects/site/api-keys", `{"label":"site",`+everyScope+`}`).is(201).at("secret")
	for _, c := range []struct {
		name, key, ask string
		fails, says    string
	}{
		{"a preview token", previewToken, "capability=content:read", "credential", "send an API key"},
		{"a preview token, of any project", previewToken, "", "credential", "send an API key"},
		{"nothing in particular", reader, "", "", "the API key carries content:read"},
		{"a scope that it carries", reader, "capability=content:read&collection=posts", "", ""},
		{"a scope that it lacks", reader, "capability=content:publish", "capability", "use an API key that carries content:publish"},
		{"a scope that it lacks, before the collection", reader, "capability=content:write&collection=nowhere", "capability", "content:write"},
		{"a collection out of reach", confined, "capability=content:write&collection=authors", "collection", `include \"authors\"`},
		{"a collection out of reach and not there", confined, "collection=nowhere", "collection", `include \"nowhere\"`},
		{"a collection that is not there", b.owner, "collection=nowhere", "collection", "svc schema push"},
		{"its collection", confined, "capability=content:write&collection=posts", "", ""},
		{"a route by its path", reader, "route=PATCH /v1/projects/:project", "capability", "project:admin"},
		{"a route by its operation", reader, "route=postProjectsChangeSets", "capability", "content:write"},
		{"a route by a path with values", confined, "route=post /v1/projects/site/collections/authors/entries", "collection", `include \"authors\"`},
		{"a route beyond collections", confined, "route=PATCH /v1/projects/{project}", "collection", "confined to no collections"},
		{"a route of the organization", ofProject, "route=GET /v1/edges", "capability", "use an API key of the organization"},
		{"a route that takes no scope", confined, "route=GET /v1/auth/whoami", "", "takes no scope"},
		{"a read of a private collection", b.scoped(credential.SchemaRead), "route=GET /v1/projects/:project/collections/secrets/entries", "capability", "content:read"},
		{"a read of a private collection out of reach", confined, "route=getProjectsCollectionsEntries&collection=secrets", "collection", "secrets"},
		{"a read of a public collection out of reach", confined, "route=getProjectsCollectionsEntries&collection=authors", "", "takes no scope"},
		{"a read of no collection", confined, "route=getProjectsCollectionsSingleton&collection=nowhere", "collection", "svc schema push"},
		{"a tool", reader, "tool=svc_publish_change_set", "capability", "content:publish"},
		{"a tool whose route is to come", reader, "tool=svc_upload_asset", "capability", "assets:write"},
		{"a tool that it may use", reader, "tool=svc_get_entry", "", ""},
	} {
		a := b.call(c.key, "GET", "/v1/projects/site/access?"+strings.ReplaceAll(c.ask, " ", "%20"), "")
		a.fails(c.fails, "credential", "project", "capability", "collection")
		if !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: it does not say %q: %s", c.name, c.says, a.body)
		}
	}
	b.call(previewToken, "GET", "/v1/projects/nowhere/access", "").fails("credential", "credential", "project", "capability", "collection")
	b.call("", "GET", "/v1/projects/site/access", "").refused(fault.AuthenticationRequired)
	b.call(b.owner, "GET", "/v1/projects/nowhere/access", "").refused(fault.NotFound)
	b.call(previewToken, "GET", "/v1/projects/site", "").refused(fault.AuthenticationRequired)
	for ask, path := range map[string]string{
		"capability=content:everything":           "capability",
		"route=GET /v1/nothing":                   "route",
		"route=getNothing":                        "route",
		"route=GET /v1/projects/other/entries":    "route",
		"route=GET /v1/organizations/globex":      "route",
		"tool=publish":                            "tool",
		"tool=svc_get_entry&capability=org:admin": "query",
	} {
		b.call(b.owner, "GET", "/v1/projects/site/access?"+strings.ReplaceAll(ask, " ", "%20"), "").refused(fault.ValidationFailed, path)
	}
}

// TestAccessAgreesWithCalls asks about every route, and compares that with a call of it.
func TestAccessAgreesWithCalls(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	keys := []string{
		b.scoped(credential.ContentRead, credential.SchemaRead), b.scoped(credential.OrgAdmin), b.key(`{"label":"posts","collections":["posts"],` + everyScope + `}`),
		b.call(b.owner, "POST", "/v1/projects/site/api-keys", `{"label":"site",`+everyScope+`}`).is(201).at("secret"),
	}
	denied := 0
	for _, r := range api.Table() {
		path := strings.NewReplacer(":organization", "acme", ":project", "site", ":collection", "authors",
			":entry", "ent_00000000000000000000000000", ":changeSet", "chs_00000000000000000000000000",
			":release", "1", ":revision", "rev_00000000000000000000000000", ":resource", "x", ":key", "x").Replace(r.Path)
		for _, key := range keys {
			// Parameters are looked at once the call is authorised, and nothing is done.
			got := b.call(key, r.Method, path+"?surprise=1", "").status
			a := b.call(key, "GET", "/v1/projects/site/access?route="+url.QueryEscape(r.Method+" "+path), "").is(200)
			if allowed := a.at("data.allowed") == "true"; allowed != (got != 403) {
				t.Errorf("%s %s answers %d, and access says %s", r.Method, r.Path, got, a.body)
			}
			if got == 403 {
				denied++
			}
		}
	}
	if denied < 20 {
		t.Errorf("only %d calls were denied", denied)
	}
}

// TestEveryToolCanBeAskedAbout: each names a route that there is, or a scope.
func TestEveryToolCanBeAskedAbout(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if n := len(api.Tools()); n != 67 {
		t.Errorf("%d tools, and the contract lists 67", n)
	}
	for _, tool := range api.Tools() {
		b.in(t).call(b.owner, "GET", "/v1/projects/site/access?tool="+tool, "").fails("", "credential", "project", "capability", "collection")
	}
}

// TestUsageIsShownByDay, the newest first, of the days that are asked for.
func TestUsageIsShownByDay(t *testing.T) {
	t.Parallel()
	b := emptyBed(t)
	_, err := b.pool.Exec(t.Context(), `INSERT INTO usage_day (organization_id, day, meter, total)
		VALUES ($1, '2026-03-01', 'public_api_requests', 3), ($1, '2026-03-02', 'public_api_requests', 4), ($1, '2026-03-04', 'public_api_requests', 5)`, b.org)
	b.ok(err)
	const usage = "/v1/organizations/acme/usage"
	const want = `"days":[{"day":"2026-03-02","meter":"public_api_requests","total":4},{"day":"2026-03-01","meter":"public_api_requests","total":3}]}}`
	if a := b.call(b.owner, "GET", usage+"?from=2026-03-01&to=2026-03-03", "").is(200); !strings.HasSuffix(string(a.body), want) {
		t.Errorf("%s", a.body)
	}
	b.call(b.owner, "GET", usage+"?from=2026-03-04&to=2026-03-03", "").refused(fault.ValidationFailed, "from")
	b.call(b.owner, "GET", usage+"?to=March", "").refused(fault.ValidationFailed, "to")
}

// TestUsageIsShownBesideThePlan: an organization beyond the soft limit of its plan is told so, and its reads are answered as before.
func TestUsageIsShownBesideThePlan(t *testing.T) {
	t.Parallel()
	began := time.Now().UTC()
	for _, c := range []struct {
		plan     account.Plan
		total    int
		limit    string
		exceeded bool
	}{
		{account.PlanUnlimited, 1_000_000_000, "null", false},
		{account.PlanFree, 0, "100000", false},
		{account.PlanFree, 100_000, "100000", false},
		{account.PlanFree, 100_001, "100000", true},
		{account.PlanPro, 5_000_000, "5000000", false},
		{account.PlanPro, 5_000_001, "5000000", true},
	} {
		b := newBed(t)
		_, err := account.SetPlan(t.Context(), b.pool, access.System(), "acme", c.plan)
		b.ok(err)
		// As much in the next month, which may begin during the test; what came before does not count.
		_, err = b.pool.Exec(t.Context(), `INSERT INTO usage_day (organization_id, day, meter, total)
			SELECT $1, (date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month')::date, 'public_api_requests', CASE n WHEN -1 THEN 9000000000 ELSE $2::bigint END
			FROM generate_series(-1, 1) n WHERE $2::bigint > 0`, b.org, c.total)
		b.ok(err)
		a := b.call(b.owner, "GET", "/v1/organizations/acme/usage", "").is(200)
		for path, want := range map[string]string{"plan": string(c.plan), "meters.0.meter": "public_api_requests", "meters.0.total": strconv.Itoa(c.total), "meters.0.softLimit": c.limit, "meters.0.exceeded": strconv.FormatBool(c.exceeded)} {
			if got := a.at("data." + path); got != want {
				t.Errorf("%s, %d reads: %s is %s, not %s", c.plan, c.total, path, got, want)
			}
		}
		if told := strings.Contains(a.at("data.meters.0.notice"), "beyond the "+c.limit+" public reads a month of the plan "+string(c.plan)); told != c.exceeded {
			t.Errorf("%s, %d reads: %s", c.plan, c.total, a.body)
		}
		if month := a.at("data.month"); month != began.Format("2006-01") && month != time.Now().UTC().Format("2006-01") {
			t.Errorf("the month is %s", month)
		}
		b.call("", "GET", "/v1/projects/site/collections/posts/entries", "").is(200)
	}
}

// TestCORSCheckMakesItsChecksInOrder: each check fails once, and what it says is what browsers get.
func TestCORSCheckMakesItsChecksInOrder(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(c *api.Config) { c.Reader.LocalOrigins = false })
	stranger := b.call(b.owner, "POST", "/v1/organizations", `{"slug":"globex"}`).is(201).at("data.secret")
	b.call(b.owner, "PATCH", "/v1/projects/site", `{"allowedOrigins":["https://shop.example"]}`).is(200)
	for _, c := range []struct {
		name, key, project, collection, origin string
		off                                    bool
		fails, says, canonical                 string
	}{
		{"no project", b.owner, "nowhere", "posts", "https://shop.example", false, "project", "GET /v1/projects lists", "https://shop.example"},
		{"a project of somebody else", stranger, "site", "posts", "https://shop.example", false, "project", "GET /v1/projects lists", "https://shop.example"},
		{"the public API is off", b.owner, "site", "posts", "https://shop.example", true, "publicApi", `PATCH /v1/projects/site {\"publicApiEnabled\":true}`, "https://shop.example"},
		{"no such collection", b.owner, "site", "nowhere", "https://shop.example", false, "collection", "svc schema push", "https://shop.example"},
		{"a private collection", b.owner, "site", "secrets", "https://shop.example", false, "collection", "visibility", "https://shop.example"},
		{"another origin", b.owner, "site", "posts", "https://Blog.example/x", false, "origin", `{\"allowedOrigins\":[\"https://shop.example\",\"https://blog.example\"]}`, "https://blog.example"},
		{"this machine, in production", b.owner, "site", "posts", "http://localhost:3000", false, "origin", "allow it", "http://localhost:3000"},
		{"no origin", b.owner, "site", "posts", "*", false, "origin", "https://www.example.com", "null"},
		{"allowed", b.owner, "site", "posts", "https://SHOP.example:443", false, "", "allowed origin", "https://shop.example"},
		{"allowed, of no collection", b.scoped(credential.ContentRead), "site", "", "https://shop.example", false, "", "allowed origin", "https://shop.example"},
	} {
		on := `{"publicApiEnabled":true}`
		if c.off {
			on = `{"publicApiEnabled":false}`
		}
		b.call(b.owner, "PATCH", "/v1/projects/site", on).is(200)
		query := "origin=" + url.QueryEscape(c.origin)
		if c.collection != "" {
			query += "&collection=" + c.collection
		}
		a := b.call(c.key, "GET", "/v1/projects/"+c.project+"/cors-check?"+query, "")
		a.fails(c.fails, "project", "publicApi", "collection", "origin")
		if !strings.Contains(string(a.body), c.says) || a.at("data.origin") != c.canonical {
			t.Errorf("%s: %s", c.name, a.body)
		}
		if c.fails != "" && c.fails != "origin" {
			continue
		}
		read := b.call("", "GET", "/v1/projects/site/collections/posts/entries", "", "Origin: "+c.origin).is(200)
		if readable := read.header.Get("Access-Control-Allow-Origin") != ""; readable != (c.fails == "") {
			t.Errorf("%s: a browser may read: %v", c.name, readable)
		}
	}
	b.call("", "GET", "/v1/projects/site/cors-check?origin=https://shop.example", "").refused(fault.AuthenticationRequired)
	b.call(b.owner, "GET", "/v1/projects/site/cors-check", "").refused(fault.ValidationFailed, "origin")
}
