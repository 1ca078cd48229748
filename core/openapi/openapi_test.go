package openapi

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
	"svc/shared/problem"
)

// TestSchemas: what is always there is required, what may be null says so, and what encodes itself is described as that.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   reflect.Type
		name string
		want []string
	}{
		{reflect.TypeFor[wire.Item](), "Item", []string{
			`"slug":{"type":["null","string"]}`, `"stagedAt":{"type":["string","null"],"format":"date-time"}`,
			`"enum":["create","update","unpublish","delete"],"type":"string"}`,
		}},
		{reflect.TypeFor[wire.EntryEdit](), "EntryEdit", []string{`"required":["data"]`, `"data":{"type":"object"}`, `"slug":{"type":"string"}`}},
		{reflect.TypeFor[wire.ProjectSettings](), "ProjectSettings", []string{`"locales":{"items":{"type":"string"},"type":"array"}`, `"guidance":{"type":["string","null"]}`}},
		{reflect.TypeFor[wire.ChangeSetEdit](), "ChangeSetEdit", []string{`"status":{"description":"Other states are reached by publishing and closing.","enum":["open","ready"],"type":"string"}`}},
		{reflect.TypeFor[wire.Rebase](), "Rebase", []string{`"onConflict":{"description":"What to do`, `"default":"fail","enum":["fail","take-mine","take-theirs"]`}},
		{reflect.TypeFor[wire.Rebased](), "Rebased", []string{`"errors":{"description":"What the rebase would be refused for`, `"staleEntryIds":{"description":"Entries that`}},
		{reflect.TypeFor[wire.RebasedItem](), "RebasedItem", []string{`"targetRevisionId":{"description":"The new draft. Null in a dry run`}},
		{reflect.TypeFor[wire.Envelope[*wire.Pin]](), "PinEnvelope", []string{`"data":{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Pin"`}},
		{reflect.TypeFor[wire.List[wire.Release]](), "ReleaseList", []string{`"data":{"items":{"$ref":"#/components/schemas/Release"},"type":"array"}`}},
	} {
		s := newSchemas()
		if s.of(c.of); s.err != nil {
			t.Fatal(s.err)
		}
		text, err := json.Marshal(s.definitions[c.name])
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s: %s", c.name, want, text)
			}
		}
	}
}

// TestUnknownParameters: a parameter without a description is a fault of the route table.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	for _, op := range []Operation{
		{Method: "GET", Path: "/v1/:mystery"},
		{Method: "GET", Path: "/v1/meta", Query: []string{"mystery"}},
		{Method: "GET", Path: "/v1/meta", Headers: []string{"mystery"}},
	} {
		if _, err := Document([]Operation{op}); err == nil || !strings.Contains(err.Error(), "mystery is not described") {
			t.Errorf("%+v: %v", op, err)
		}
	}
}

// TestListedStatuses: a list says which statuses it can be asked for.
func TestListedStatuses(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/projects/:project/entries":     `["draft","published","changed","unpublished","deleted"]`,
		"/v1/projects/:project/change-sets": `["open","ready","published","closed"]`,
	} {
		all := Operation{Method: "GET", Path: path, Query: []string{"status"}}.parameters(newSchemas())
		text, err := json.Marshal(all, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		if want := `"name":"status","schema":{"enum":` + want + `,"type":"string"}`; !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s: %s", path, want, text)
		}
	}
}

// TestRefusals: the document shows what a refusal of each status looks like, and to what request it is the answer.
func TestRefusals(t *testing.T) {
	t.Parallel()
	text, err := Document(nil)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Responses struct {
				Problem struct {
					Content map[string]struct {
						Examples map[string]struct {
							Summary string           `json:"summary"`
							Value   problem.Document `json:"value"`
						} `json:"examples"`
					} `json:"content"`
				}
			} `json:"responses"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var shown []int
	for code, e := range document.Components.Responses.Problem.Content[problem.ContentType].Examples {
		if shown = append(shown, e.Value.Status); e.Summary == "" || string(e.Value.Code) != code {
			t.Errorf("%s is shown as %+v", code, e)
		}
	}
	for _, status := range []int{400, 401, 403, 404, 409, 422, 429} {
		if !slices.Contains(shown, status) {
			t.Errorf("no example of %d", status)
		}
	}
}
