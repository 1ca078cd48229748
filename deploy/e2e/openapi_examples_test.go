package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/openapi"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/wiretest"
)

var update = flag.Bool("update", false, "write the examples of the OpenAPI document again")

const examplesFile = "../../core/openapi/examples.json"

// volatile are operations whose answers tell of whatever else the deployment does, so that their examples are neither compared nor
// written again.
var volatile = []string{"getEdges", "getCores", "getOrganizations", "getProjects", "getReadyz"}

// elsewhere are refusals that a test of core holds against what it answers.
var elsewhere = []string{string(fault.RateLimited)}

// examine keeps the first good exchange of an operation as its example. Asked is the path that was asked for, with its query.
func (a *operations) examine(method, path, asked, body string, answer []byte) {
	id := operationID(method, path)
	if _, known := a.examples[id]; known {
		return
	}
	if path == "/openapi.json" {
		answer = a.outline(answer)
	}
	var e openapi.Example
	if body != "" {
		e.Request = a.normal(body)
	}
	if len(answer) > 0 {
		e.Response = a.normal(string(answer))
	}
	e.Of = a.asked(method, asked)
	a.examples[id] = e
}

// asked is the line of a request as people read it.
func (a *operations) asked(method, path string) string {
	readable, err := url.QueryUnescape(path)
	a.check(err)
	return a.normalText(method + " " + readable)
}

func operationID(method, path string) string {
	return openapi.Operation{Method: method, Path: strings.NewReplacer("{", ":", "}", "").Replace(path)}.ID()
}

// refused keeps the first refusal with a code as its example.
func (a *operations) refused(method, asked string, answer []byte) {
	code := a.text(answer, "code")
	if _, known := a.examples[code]; !known {
		a.examples[code] = openapi.Example{Of: a.asked(method, asked), Response: a.normal(string(answer))}
	}
}

// outline is a document without its parts.
func (a *operations) outline(document []byte) []byte {
	var head struct {
		OpenAPI string         `json:"openapi"`
		Info    jsontext.Value `json:"info"`
		Paths   struct{}       `json:"paths"`
	}
	a.check(json.Unmarshal(document, &head))
	text, err := json.Marshal(head)
	a.check(err)
	return text
}

// importLines imports a body of lines, which becomes an example too.
func (a *operations) importLines(path, lines string) {
	a.t.Helper()
	request := a.request("POST", strings.NewReplacer("{project}", a.project.Slug, "{collection}", "posts").Replace(path), lines)
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := wiretest.Client.Do(request)
	a.check(err)
	a.check(response.Body.Close())
	if response.StatusCode != http.StatusOK {
		a.t.Fatalf("an import of lines: %s", response.Status)
	}
	id := operationID("POST", "/v1/projects/{project}/collections/{collection}/import")
	e := a.examples[id]
	e.Lines, err = jsontext.AppendQuote(nil, lines)
	a.check(err)
	a.examples[id] = e
}

// liveEvents makes an example of the events of a stream up to the first release.
func (a *operations) liveEvents(s *liveStream) {
	a.t.Helper()
	var text strings.Builder
	for released := false; s.lines.Scan(); {
		line := s.lines.Text()
		released = released || line == "event: release"
		text.WriteString(line + "\n")
		if line == "" && released {
			break
		}
	}
	position := 0
	events, err := jsontext.AppendQuote(nil, anyPosition.ReplaceAllStringFunc(a.normalText(text.String()), func(string) string {
		position++
		return fmt.Sprint("id: ", position)
	}))
	a.check(err)
	a.examples["getProjectsLive"] = openapi.Example{Of: "GET /v1/projects/magazine/live", Response: events}
}

var (
	anyID       = regexp.MustCompile(`\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b`)
	anyTime     = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)
	anyPublicID = regexp.MustCompile(`"publicId":"[^"]*"`)
	anyCursor   = regexp.MustCompile(`"nextCursor":"[^"]*"`)
	anyPosition = regexp.MustCompile(`\bid: \d+`)
	anyRequest  = regexp.MustCompile(`"requestId":"[^"]*"`)
	anySecret   = regexp.MustCompile(`\bsvc_(sk|prv)_[0-9A-Za-z]+_[0-9A-Za-z]+\b`)
)

// normal is a body without what differs from run to run.
func (a *operations) normal(body string) jsontext.Value {
	value := jsontext.Value(a.normalText(body))
	a.check(value.Indent(jsontext.WithIndentPrefix("\t\t"), jsontext.WithIndent("\t")))
	return value
}

func (a *operations) normalText(body string) string {
	body = strings.ReplaceAll(body, a.project.Slug, "magazine")
	body = strings.ReplaceAll(body, strings.TrimPrefix(a.project.Slug, "e2e-"), "magazine")
	body = anySecret.ReplaceAllString(body, "svc_${1}_0123456789abcdef_0123456789abcdefghjkmnpqrstvwxyz01234567")
	body = anyPublicID.ReplaceAllString(body, `"publicId":"0123456789abcdef"`)
	body = anyCursor.ReplaceAllString(body, `"nextCursor":"AQAAAQAAAAAAAAAAAAAAAAAACTGA3_p1aLsDLKP7Fz2Y7lD-"`)
	body = anyRequest.ReplaceAllString(body, `"requestId":"0123456789abcdef0123456789abcdef"`)
	body = anyTime.ReplaceAllStringFunc(body, a.normalTime)
	return anyID.ReplaceAllStringFunc(body, func(id string) string {
		if a.ids[id] == "" {
			a.ids[id] = fmt.Sprintf("%s%026d", id[:4], len(a.ids)+1)
		}
		return a.ids[id]
	})
}

// normalTime is a time as if all of the run were at one moment; those that are days away stay so.
func (a *operations) normalTime(quoted string) string {
	t, err := time.Parse(`"`+time.RFC3339+`"`, quoted)
	a.check(err)
	moment := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	return `"` + content.FormatTime(moment.Add(t.Sub(a.began).Round(24*time.Hour))) + `"`
}

// wantExamples holds the examples of the document against what was answered: the same members with values of the same kinds.
func (a *operations) wantExamples() {
	a.t.Helper()
	documented, err := openapi.Examples()
	a.check(err)
	if *update {
		for _, id := range slices.Concat(volatile, elsewhere) {
			if e, found := documented[id]; found {
				e.Of = cmp.Or(a.examples[id].Of, e.Of)
				a.examples[id] = e
			}
		}
		text, err := json.Marshal(a.examples, json.Deterministic(true), jsontext.WithIndent("\t"))
		a.check(err)
		a.check(os.WriteFile(examplesFile, append(text, '\n'), 0o644))
		return
	}
	for id, now := range a.examples {
		e, found := documented[id]
		if !found || !sameButIDs(e.Of, now.Of) || !slices.Contains(volatile, id) && !(alike(e.Request, now.Request) && alike(e.Lines, now.Lines) && alike(e.Response, now.Response)) {
			a.t.Errorf("the example of %s is stale; \"go test ./deploy/e2e -run OpenAPI -update\" writes it again:\n%s\n%s\n%s", id, now.Of, now.Request, now.Response)
		}
	}
	for id := range documented {
		if _, answered := a.examples[id]; !answered && !slices.Contains(elsewhere, id) {
			a.t.Errorf("there is an example of %s, which is no operation and no refusal", id)
		}
	}
}

// sameButIDs tells whether two texts differ in nothing but the numbers of ids, which count those of the whole deployment.
func sameButIDs(a, b string) bool {
	return anyID.ReplaceAllLiteralString(a, "") == anyID.ReplaceAllLiteralString(b, "")
}

// alike tells whether two values have the same form. Where one is null or an empty list it may be any of that; of lists the first
// elements are compared.
func alike(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	switch {
	case a.Kind() == 'n' || b.Kind() == 'n':
		return true
	case a.Kind() == 't' || a.Kind() == 'f':
		return b.Kind() == 't' || b.Kind() == 'f'
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == '[':
		var listA, listB []jsontext.Value
		return json.Unmarshal(a, &listA) == nil && json.Unmarshal(b, &listB) == nil &&
			(len(listA) == 0 || len(listB) == 0 || alike(listA[0], listB[0]))
	case a.Kind() == '{':
		var membersA, membersB map[string]jsontext.Value
		if json.Unmarshal(a, &membersA) != nil || json.Unmarshal(b, &membersB) != nil || len(membersA) != len(membersB) {
			return false
		}
		for name, value := range membersA {
			if other, found := membersB[name]; !found || !alike(value, other) {
				return false
			}
		}
	}
	return true
}
