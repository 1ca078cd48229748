package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"

	"svc/core/openapi"
	"svc/shared/fault"
	"svc/shared/wiretest"
)

const documented = `{"name":"posts","kind":"collection","visibility":"public","titleField":"title","fields":{
	"title":{"type":"text","required":true,"localized":true},"slug":{"type":"slug","from":"title"},"views":{"type":"number"},"body":{"type":"markdown"}}}`

// TestOpenAPI: the document is valid, and every operation that it lists takes the request and gives the response that it
// describes. Requests go through an edge, so that what it answers itself is checked as well as what it passes on to core.
func TestOpenAPI(t *testing.T) {
	b := newBed(t, documented, `{"name":"home","kind":"singleton","visibility":"public","fields":{"title":{"type":"text"}}}`)
	a := newOperations(b)
	a.call("GET", "/healthz", nil, "", 200)
	a.call("GET", "/readyz", nil, "", 200)
	a.call("GET", "/v1/meta", nil, "", 200)
	a.call("GET", "/openapi.json", nil, "", 200)
	a.call("GET", "/v1/auth/whoami", nil, "", 200)
	a.call("GET", "/v1/edges", nil, "", 200)
	a.call("GET", "/v1/cores", nil, "", 200)
	a.organizations()
	a.projects()
	a.schemas()
	a.content()
	a.publicReads()
	a.call("DELETE", "/v1/projects/{project}", args{"project": a.text(a.other, "data.slug")}, "", 204)
	for operation := range a.left {
		t.Errorf("%s is in the document and has no case", operation)
	}
	for _, code := range []fault.Code{
		fault.ValidationFailed, fault.AuthenticationRequired, fault.Forbidden, fault.NotFound, fault.Conflict, fault.StaleRevision,
		fault.SchemaChangeDestructive, fault.PublishValidationFailed,
	} {
		if _, found := a.examples[string(code)]; !found {
			t.Errorf("no request was refused with %s", code)
		}
	}
	a.wantExamples()
}

// operations calls the operations of the document, and knows which are left.
type operations struct {
	*bed
	checked  validator.Validator
	left     map[string]bool // "GET /v1/meta"
	token    string
	args     args
	other    jsontext.Value             // another project
	examples map[string]openapi.Example // by operationId
	ids      map[string]string          // what stands for each in the examples
	began    time.Time
}

// args fill a path; those that it does not name are query parameters.
type args map[string]string

func newOperations(b *bed) *operations {
	b.t.Helper()
	response, err := wiretest.Client.Get(b.edge1.URL + "/openapi.json")
	b.check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	b.check(err)
	document, err := libopenapi.NewDocument(text)
	b.check(err)
	checked, errs := validator.NewValidator(document)
	if errs != nil {
		b.t.Fatal(errs)
	}
	if valid, faults := checked.ValidateDocument(); !valid {
		b.t.Fatalf("the document is not valid: %v", faults)
	}
	var listed struct {
		Paths map[string]map[string]jsontext.Value `json:"paths"`
	}
	b.check(json.Unmarshal(text, &listed))
	a := &operations{
		bed: b, checked: checked, left: map[string]bool{}, token: b.account.Token, examples: map[string]openapi.Example{}, ids: map[string]string{}, began: time.Now(),
	}
	for path, methods := range listed.Paths {
		for method := range methods {
			a.left[strings.ToUpper(method)+" "+path] = true
		}
	}
	a.args = args{"organization": b.account.Organization, "project": b.project.Slug, "collection": "posts"}
	return a
}

// call makes a request and checks it and its response against the document.
func (a *operations) call(method, path string, with args, body string, status int) jsontext.Value {
	a.t.Helper()
	delete(a.left, method+" "+path)
	filled, query := path, url.Values{}
	for _, each := range []args{with, a.args} {
		for name, value := range each {
			if at := "{" + name + "}"; strings.Contains(filled, at) {
				filled = strings.ReplaceAll(filled, at, value)
			} else if with[name] == value {
				query.Set(name, value)
			}
		}
	}
	if len(query) > 0 {
		filled += "?" + query.Encode()
	}
	request := a.request(method, filled, body)
	response, err := wiretest.Client.Do(request)
	a.check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	a.check(err)
	if response.StatusCode != status {
		a.t.Fatalf("%s %s: %d %s", method, filled, response.StatusCode, answer)
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	request = a.request(method, filled, body) // the first one was read
	if valid, faults := a.checked.ValidateHttpRequestResponse(request, response); !valid {
		for _, fault := range faults {
			a.t.Errorf("%s %s: %s: %s\n%s", method, filled, fault.Message, fault.Reason, answer)
			for _, at := range fault.SchemaValidationErrors {
				a.t.Errorf("at %s: %s", at.FieldPath, at.Reason)
			}
		}
	}
	switch _, previewed := with["token"]; {
	case status >= 400:
		a.refused(method, filled, answer)
	case status < 300 && !previewed:
		a.examine(method, path, filled, body, answer)
	}
	return answer
}

func (a *operations) request(method, path, body string) *http.Request {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.edge1.URL+path, strings.NewReader(body))
	a.check(err)
	request.Header.Set("Authorization", "Bearer "+a.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// text is the text at a path such as "data.entry.id"; a number steps into a list.
func (a *operations) text(value jsontext.Value, path string) string {
	a.t.Helper()
	for part := range strings.SplitSeq(path, ".") {
		var object map[string]jsontext.Value
		if part == "0" {
			var list []jsontext.Value
			a.check(json.Unmarshal(value, &list))
			value = list[0]
			continue
		}
		a.check(json.Unmarshal(value, &object))
		value = object[part]
	}
	var text string
	a.check(json.Unmarshal(value, &text))
	return text
}

func (a *operations) organizations() {
	const org = "/v1/organizations/{organization}"
	slug := strings.Replace(a.project.Slug, "e2e-", "org-", 1)
	a.call("GET", "/v1/organizations", args{"limit": "1"}, "", 200)
	founded := a.call("POST", "/v1/organizations", nil, `{"slug":"`+slug+`","name":"Documented"}`, 201)
	owner := a.token
	a.token, a.args["organization"] = a.text(founded, "data.secret"), slug
	a.call("GET", org, nil, "", 200)
	a.call("PATCH", org, nil, `{"name":"Described"}`, 200)
	a.call("GET", org+"/usage", args{"from": "2026-03-01", "to": "2026-03-31"}, "", 200)
	key := a.call("POST", org+"/api-keys", nil, `{"label":"reader","scopes":["content:read"],"expiresAt":"2100-01-01T00:00:00Z"}`, 201)
	a.call("GET", org+"/api-keys", nil, "", 200)
	a.call("DELETE", org+"/api-keys/{key}", args{"key": a.text(key, "key.id")}, "", 200)
	a.call("DELETE", org, nil, "", 204)
	a.token, a.args["organization"] = owner, a.account.Organization
}

func (a *operations) projects() {
	const project = "/v1/projects/{project}"
	a.other = a.call("POST", "/v1/organizations/{organization}/projects", nil, `{"name":"Other","slug":"`+a.project.Slug+`-other"}`, 201)
	a.call("GET", "/v1/projects", args{"limit": "2"}, "", 200)
	a.call("GET", project, nil, "", 200)
	a.call("PATCH", project, nil, `{"locales":["en","de"],"defaultLocale":"en","allowedOrigins":["https://example.com"],"guidance":null,"requiredApprovals":0}`, 200)
	a.call("GET", project+"/access", args{"capability": "content:read", "collection": "posts"}, "", 200)
	a.call("GET", project+"/access", args{"tool": "svc_publish_change_set"}, "", 200)
	a.call("GET", project+"/cors-check", args{"origin": "https://example.com", "collection": "posts"}, "", 200)
	a.call("GET", project+"/cors-check", args{"origin": "null"}, "", 200)
	key := a.call("POST", project+"/api-keys", nil, `{"label":"posts","scopes":["content:read","schema:read"],"collections":["posts"]}`, 201)
	a.call("GET", project+"/api-keys", nil, "", 200)
	owner := a.token
	a.token = a.text(key, "secret")
	a.call("POST", project+"/change-sets", nil, `{"title":"Not mine"}`, 403)
	a.token = owner
	a.call("DELETE", project+"/api-keys/{key}", args{"key": a.text(key, "key.id")}, "", 200)
}

func (a *operations) schemas() {
	const project = "/v1/projects/{project}"
	set := `{"collections":[` + strings.Replace(documented, `"views"`, `"rating"`, 1) + `]}`
	a.call("GET", project+"/schema", nil, "", 200)
	a.call("POST", project+"/schema/diff", nil, set, 200)
	a.call("POST", project+"/schema/push", args{"project": a.text(a.other, "data.slug")}, set, 200)
	a.call("GET", project+"/schema/drift", args{"against": a.text(a.other, "data.slug")}, "", 200)
	a.call("POST", project+"/schema/promote", args{"project": a.text(a.other, "data.slug")}, `{"fromProject":"`+a.project.Slug+`","confirm":true,"allowDestructive":true}`, 200)
	a.call("POST", project+"/schema/push", args{"project": a.text(a.other, "data.slug")}, set, 409)
	a.call("GET", project+"/collections/{collection}", nil, "", 200)
	a.call("GET", project+"/collections/{collection}/versions", nil, "", 200)
}

func (a *operations) content() {
	const (
		project = "/v1/projects/{project}"
		coll    = project + "/collections/{collection}"
		entry   = project + "/entries/{entry}"
		set     = project + "/change-sets/{changeSet}"
		first   = `"data":{"title":{"en":"First","de":"Erster"},"body":"` + prose + `"}`
	)
	made := a.call("POST", project+"/change-sets", nil, `{"title":"First"}`, 201)
	a.args["changeSet"] = a.text(made, "data.id")
	events := a.follow(a.edge1, "")
	create := func(in args, entry string) jsontext.Value {
		return a.call("POST", coll+"/entries", in, `{`+entry+`,"changeSetId":"`+a.args["changeSet"]+`"}`, 201)
	}
	written := create(nil, first)
	a.args["entry"], a.args["revision"] = a.text(written, "data.entry.id"), a.text(written, "data.revision.id")
	a.call("PATCH", entry, nil, `{"data":{"views":3},"expectedRevisionId":"`+a.args["revision"]+`"}`, 200)
	a.call("PATCH", entry, nil, `{"data":{"views":4},"expectedRevisionId":"`+a.args["revision"]+`"}`, 409)
	a.call("GET", entry, args{"changeSetId": a.args["changeSet"]}, "", 200)
	a.call("GET", project+"/entries", args{"collection": "posts", "status": "draft", "slug": "first", "q": "first", "updatedSince": "2026-01-31T09:00:00+01:00", "limit": "1"}, "", 200)
	a.call("GET", entry+"/revisions", args{"limit": "1"}, "", 200)
	a.call("GET", entry+"/revisions/{revision}", nil, "", 200)
	dropped := args{"entry": a.text(create(nil, `"data":{"title":{"en":"Dropped"}}`), "data.entry.id")}
	for _, name := range []string{"second", "third"} {
		a.args[name] = a.text(create(nil, `"slug":"`+name+`","data":{"title":{"en":"The `+name+`"}}`), "data.entry.id")
	}
	create(args{"collection": "home"}, `"data":{"title":"Home"}`)
	a.call("GET", set+"/items", nil, "", 200)
	a.call("GET", project+"/change-sets", args{"status": "open"}, "", 200)
	a.call("GET", set, nil, "", 200)
	a.call("PATCH", set, nil, `{"title":"Spring","description":"All of it","status":"ready"}`, 200)
	a.call("POST", set+"/validate", nil, "", 200)
	a.previews()
	a.call("DELETE", set+"/items/{resource}", args{"resource": dropped["entry"]}, "", 200)
	a.call("DELETE", entry+"/draft", dropped, "", 200)
	undeleted := a.call("POST", entry+"/undelete", dropped, `{}`, 200)
	a.call("POST", set+"/close", args{"changeSet": a.text(undeleted, "data.changeSet.id")}, "", 200)
	a.call("GET", entry+"/references", nil, "", 200)
	a.call("POST", entry+"/restore", nil, `{"revisionId":"`+a.args["revision"]+`"}`, 200)
	a.call("PATCH", entry, nil, `{"data":{"views":3},"changeSetId":"`+a.args["changeSet"]+`"}`, 200)
	copied := a.call("POST", entry+"/duplicate", nil, `{}`, 201)
	a.call("POST", project+"/change-sets/{changeSet}/close", args{"changeSet": a.text(copied, "data.changeSet.id")}, "", 200)
	a.call("POST", set+"/publish", nil, `{"confirm":true}`, 200)
	a.liveEvents(events)
	a.edits()
	a.rebase()
	a.call("POST", coll+"/reorder", nil, `{"order":["`+a.args["entry"]+`"]}`, 200)
	a.call("GET", coll+"/translations", nil, "", 200)
	a.call("GET", project+"/releases", nil, "", 200)
	a.call("GET", project+"/releases/{release}", args{"release": "1"}, "", 200)
	a.call("POST", project+"/releases/{release}/revert", args{"release": "1"}, `{"title":"Back","force":true}`, 201)
	a.call("PUT", project+"/pin", nil, `{"release":1,"reason":"documented"}`, 200)
	a.call("GET", project+"/pin", nil, "", 200)
	a.call("DELETE", project+"/pin", nil, "", 204)
	a.call("GET", project+"/pin", nil, "", 200)
	staged := a.call("POST", entry+"/unpublish", nil, "", 200)
	a.call("POST", set+"/close", args{"changeSet": a.text(staged, "changeSetId")}, "", 200)
	a.call("DELETE", entry, nil, "", 200)
	a.call("GET", entry, args{"entry": "ent_00000000000000000000000000"}, "", 404)
	a.call("POST", set+"/publish", nil, `{"confirm":true}`, 409)
}

// prose is long enough to be compared by word.
const prose = "The harbour is quiet before six. Then the first boats come in, and those who want fish for the day stand on the quay with a bucket, " +
	"as it has been for a hundred years."

// edits stages something of every kind: an edit that changes and removes, a new entry, a deletion, and an import with a row of every
// outcome.
func (a *operations) edits() {
	const (
		project = "/v1/projects/{project}"
		coll    = project + "/collections/{collection}"
	)
	open := func(title string) args {
		return args{"changeSet": a.text(a.call("POST", project+"/change-sets", nil, `{"title":"`+title+`"}`, 201), "data.id")}
	}
	edits, others := open("Edits"), open("Others")
	a.call("PATCH", project+"/entries/{entry}", nil, `{"changeSetId":"`+edits["changeSet"]+`","data":{"title":{"en":"The first","de":"Erster"},"body":"`+
		strings.Replace(prose, "first boats", "last boats", 1)+`","views":null}}`, 200)
	a.call("DELETE", project+"/entries/{entry}", args{"entry": a.args["second"], "changeSetId": edits["changeSet"]}, "", 200)
	a.call("POST", coll+"/entries", nil, `{"changeSetId":"`+edits["changeSet"]+`","data":{"title":{"en":"Added"}}}`, 201)
	diff := string(a.call("GET", project+"/change-sets/{changeSet}/diff", args{"changeSet": edits["changeSet"], "limit": "10"}, "", 200))
	for _, want := range []string{`"operation":"create"`, `"operation":"update"`, `"operation":"delete"`, `"kind":"added"`, `"kind":"changed"`, `"kind":"removed"`, `"op":"equal"`, `"op":"delete"`, `"op":"insert"`} {
		if !strings.Contains(diff, want) {
			a.t.Errorf("the diff does not show %s: %s", want, diff)
		}
	}
	a.call("PATCH", project+"/entries/{entry}", args{"entry": a.args["second"]}, `{"changeSetId":"`+others["changeSet"]+`","data":{"views":2}}`, 200)
	imported := a.call("POST", coll+"/import", nil, `{"entries":[{"data":{"title":{"en":"Fourth"}}},{"slug":"first","data":{"views":5}},`+
		`{"slug":"third","data":{"title":{"en":"The third"}}},{"slug":"second","data":{"views":6}}]}`, 200)
	for _, want := range []string{"created", "updated", "skipped", "conflict"} {
		if !strings.Contains(string(imported), `"outcome":"`+want+`"`) {
			a.t.Errorf("the import has no row that is %s: %s", want, imported)
		}
	}
	a.importLines(coll+"/import?dryRun=true", `{"slug":"fifth","data":{"title":{"en":"Fifth"}}}`+"\n"+`{"data":{"title":{"en":"Sixth"}}}`+"\n")
	fourth := args{"changeSet": a.text(imported, "data.entries.0.changeSetId")}
	for _, set := range []args{edits, others, fourth} {
		a.call("POST", project+"/change-sets/{changeSet}/close", set, "", 200)
	}
}

// rebase replays an edit of everything on one of a part: of one field alike, of another one differently.
func (a *operations) rebase() {
	const project = "/v1/projects/{project}"
	stage := func(title, data string) args {
		set := a.text(a.call("POST", project+"/change-sets", nil, `{"title":"`+title+`"}`, 201), "data.id")
		a.call("PATCH", project+"/entries/{entry}", nil, `{"changeSetId":"`+set+`","data":`+data+`}`, 200)
		return args{"changeSet": set}
	}
	mine := stage("Mine", `{"title":{"en":"My first","de":"Zuerst"},"views":4}`)
	theirs := stage("Theirs", `{"title":{"en":"Their first","de":"Zuerst"}}`)
	a.call("POST", project+"/change-sets/{changeSet}/publish", theirs, `{"confirm":true}`, 200)
	a.call("POST", project+"/change-sets/{changeSet}/publish", mine, `{"confirm":true}`, 422)
	plan := a.call("POST", project+"/change-sets/{changeSet}/rebase", mine, `{"onConflict":"take-mine","dryRun":true}`, 200)
	for list, path := range map[string]string{"replayed": "fields.views", "agreed": "fields.title.de", "conflicts": "fields.title.en"} {
		if got := a.text(plan, "data.items.0."+list+".0.path"); got != path {
			a.t.Errorf("of %s, the rebase tells %s", list, got)
		}
	}
	a.call("POST", project+"/change-sets/{changeSet}/close", mine, "", 200)
}

func (a *operations) previews() {
	const (
		project = "/v1/projects/{project}"
		set     = project + "/change-sets/{changeSet}"
	)
	made := a.call("POST", set+"/previews", nil, `{"entryId":"`+a.args["entry"]+`","expiresInSeconds":86400}`, 201)
	preview := args{"preview": a.text(made, "data.preview.id")}
	a.call("GET", set+"/previews", args{"limit": "1"}, "", 200)
	token := args{"token": a.text(made, "data.token")}
	a.examine("GET", "/v1/previews/resolve", "/v1/previews/resolve?token="+token["token"], "", a.call("GET", "/v1/previews/resolve", token, "", 200))
	a.call("GET", "/v1/projects/{project}/collections/{collection}/entries", token, "", 200)
	a.call("GET", project+"/previews", nil, "", 200)
	a.call("GET", project+"/previews/{preview}", preview, "", 200)
	a.call("DELETE", project+"/previews/{preview}", preview, "", 200)
}

func (a *operations) publicReads() {
	const coll = "/v1/projects/{project}/collections"
	a.await(1, "posts", a.edge1)
	a.call("GET", coll, nil, "", 200)
	a.call("GET", coll+"/{collection}/entries", args{"locale": "de", "order": "-views", "limit": "1", "filter[views][gte]": "2", "q": `-"no such words"`, "representation": "rendered"}, "", 200)
	a.call("GET", coll+"/{collection}/entries/{slug}", args{"slug": "first", "at": "1"}, "", 200)
	a.call("GET", coll+"/{collection}/entries/{slug}", args{"slug": "first", "include": "title"}, "", 400)
	a.call("GET", coll+"/{collection}/entries/{slug}/references", args{"slug": "first", "at": "1"}, "", 200)
	a.call("GET", coll+"/{collection}/singleton", args{"collection": "home"}, "", 200)
	a.token = "svc_sk_0000000000000000_0000000000000000000000000000000000000000"
	a.call("GET", coll, nil, "", 401)
	a.call("GET", "/v1/projects/{project}/live", nil, "", 401) // a stream has no end: live_test.go reads some
	a.token = a.account.Token
}
