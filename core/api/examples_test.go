package api_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc/core/openapi"
	"svc/shared/fault"
	"svc/shared/problem"
)

// TestEveryOperationHasExamples: the OpenAPI document shows a successful response of every operation that answers with a body, and a
// request of every kind of body that it takes.
func TestEveryOperationHasExamples(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	type bodies struct {
		Content map[string]struct {
			Example  jsontext.Value `json:"example"` // of a request
			Examples map[string]struct {
				Summary string         `json:"summary"`
				Value   jsontext.Value `json:"value"`
			} `json:"examples"` // of a response
		} `json:"content"`
	}
	var document struct {
		Paths map[string]map[string]struct {
			ID        string            `json:"operationId"`
			Request   bodies            `json:"requestBody"`
			Responses map[string]bodies `json:"responses"`
		} `json:"paths"`
	}
	b.ok(json.Unmarshal([]byte(b.call("", "GET", "/openapi.json", "").is(200).body), &document))
	without := func(of bodies) (types []string) {
		for name, body := range of.Content {
			if answer := body.Examples["answer"]; body.Example == nil && (answer.Summary == "" || answer.Value == nil) {
				types = append(types, name)
			}
		}
		return types
	}
	examples := 0
	for _, methods := range document.Paths {
		for _, op := range methods {
			if missing := without(op.Request); missing != nil {
				t.Errorf("%s has no example of a request as %v", op.ID, missing)
			}
			for status, response := range op.Responses {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				if missing := without(response); missing != nil || len(response.Content) == 0 && status != "204" {
					t.Errorf("%s has no example of its response %s %v", op.ID, status, missing)
				}
				examples += len(response.Content)
			}
		}
	}
	if examples < 70 {
		t.Errorf("the document has only %d responses", examples)
	}
}

// isDocumented checks that a refusal is the example of its code, but for the id of the request.
func (b *bed) isDocumented(a answer, code fault.Code) {
	b.Helper()
	examples, err := openapi.Examples()
	b.ok(err)
	var documented, now problem.Document
	b.ok(json.Unmarshal(examples[string(code)].Response, &documented))
	b.ok(json.Unmarshal([]byte(a.body), &now))
	now.RequestID = documented.RequestID
	if d := cmp.Diff(documented, now); d != "" {
		b.Errorf("the example of %s is stale: %s", code, d)
	}
}
