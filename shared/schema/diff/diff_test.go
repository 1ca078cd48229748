package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc/shared/schema"
)

// row is one row of the interface's lists ("Schema deployment semantics"), or of those that complete them. Each
// goes both ways: there from old to new, back from new to old. An operation is "class kind field".
type row struct {
	name     string
	old, new string // collections, comma-separated
	there    []string
	back     []string
}

func fieldRow(name, old, new, there, back string) row {
	def := func(f string) string { return `{"name":"c","fields":{"f":` + f + `}}` }
	return row{name, def(old), def(new), split(there), split(back)}
}

// extra compares a collection whose field f is there or not beside another one.
func extra(name, f, there, back string) row {
	return row{name, `{"name":"c","fields":{"a":{"type":"text"}}}`, `{"name":"c","fields":{"a":{"type":"text"},"f":` + f + `}}`, split(there), split(back)}
}

func option(name, old, new, there, back string) row {
	def := func(o string) string {
		return `{"name":"c",` + o + `"fields":{"f":{"type":"text"},"g":{"type":"text"}}}`
	}
	return row{name, def(old), def(new), split(there), split(back)}
}

func split(operations string) []string {
	if operations == "" {
		return nil
	}
	return strings.Split(operations, ", ")
}

const (
	loose = "safe constraint_loosened f"
	tight = "conditionally_destructive constraint_tightened f"
)

var rows = []row{
	{"a collection", `{"name":"b","fields":{}}`, `{"name":"b","fields":{}},{"name":"c","fields":{}}`,
		split("safe collection_added"), split("destructive collection_removed")},
	option("kind", ``, `"kind":"singleton",`, "destructive kind_changed", "destructive kind_changed"),
	option("visibility", ``, `"visibility":"public",`, "safe made_public", "conditionally_destructive made_private"),
	option("label", ``, `"label":"C",`, "safe label_changed", "safe label_changed"),
	option("titleField", ``, `"titleField":"f",`, "safe title_field_changed", "safe title_field_changed"),
	option("path", ``, `"path":"/c/{slug}",`, "safe path_changed", "safe path_changed"),
	option("guidance", ``, `"guidance":"Be kind.",`, "safe guidance_changed", "safe guidance_changed"),
	option("policy", ``, `"policy":[{"rule":"altText"}],`, "safe policy_changed", "safe policy_changed"),
	option("policy bound", `"policy":[{"rule":"length","field":"f","max":1}],`, `"policy":[{"rule":"length","field":"f","max":2}],`, "safe policy_changed", "safe policy_changed"),
	{"slug source", `{"name":"c","fields":{"s":{"type":"slug"},"f":{"type":"text"}}}`, `{"name":"c","fields":{"s":{"type":"slug","from":"f"},"f":{"type":"text"}}}`,
		split("safe slug_source_changed s"), split("safe slug_source_changed s")},
	{"field order", `{"name":"c","fields":{"f":{"type":"text"},"g":{"type":"text"}}}`, `{"name":"c","fields":{"g":{"type":"text"},"f":{"type":"text"}}}`,
		split("safe fields_reordered"), split("safe fields_reordered")},
	extra("an optional field", `{"type":"text"}`, "safe field_added f", "destructive field_removed f"),
	extra("a required field with a default", `{"type":"text","required":true,"default":"x"}`, "safe field_added f", "destructive field_removed f"),
	extra("a required field without a default", `{"type":"text","required":true}`, "conditionally_destructive field_added f", "destructive field_removed f"),
	fieldRow("a renamed field", `{"type":"object","fields":{"a":{"type":"text"}}}`, `{"type":"object","fields":{"b":{"type":"text"}}}`,
		"destructive field_removed f.a, safe field_added f.b", "safe field_added f.a, destructive field_removed f.b"),
	fieldRow("type", `{"type":"text"}`, `{"type":"markdown"}`, "destructive type_changed f", "destructive type_changed f"),
	fieldRow("required", `{"type":"text"}`, `{"type":"text","required":true}`, "conditionally_destructive made_required f", "safe made_optional f"),
	fieldRow("a required slug", `{"type":"slug"}`, `{"type":"slug","required":true}`, "safe made_required f", "safe made_optional f"),
	fieldRow("localized", `{"type":"text"}`, `{"type":"text","localized":true}`, "conditionally_destructive localized_added f", "destructive localized_removed f"),
	fieldRow("field label", `{"type":"text"}`, `{"type":"text","label":"F"}`, "safe label_changed f", "safe label_changed f"),
	fieldRow("description", `{"type":"text"}`, `{"type":"text","description":"F"}`, "safe description_changed f", "safe description_changed f"),
	fieldRow("ui", `{"type":"text"}`, `{"type":"text","ui":{"hidden":true}}`, "safe ui_changed f", "safe ui_changed f"),
	fieldRow("multiline", `{"type":"text"}`, `{"type":"text","multiline":true}`, "safe editor_hint_changed f", "safe editor_hint_changed f"),
	fieldRow("default", `{"type":"text"}`, `{"type":"text","default":"x"}`, "safe default_changed f", "safe default_changed f"),
	fieldRow("default of a required field", `{"type":"text","required":true}`, `{"type":"text","required":true,"default":"x"}`,
		"safe default_changed f", "safe default_changed f"),
	fieldRow("another default", `{"type":"number","required":true,"default":1}`, `{"type":"number","required":true,"default":2}`, "safe default_changed f", "safe default_changed f"),
	fieldRow("a default given up for being required", `{"type":"text","default":"x"}`, `{"type":"text","required":true}`,
		"conditionally_destructive made_required f, safe default_changed f", "safe made_optional f, safe default_changed f"),
	fieldRow("maxLength raised", `{"type":"text","maxLength":5}`, `{"type":"text","maxLength":6}`, loose, tight),
	fieldRow("maxLength dropped", `{"type":"text","maxLength":5}`, `{"type":"text"}`, loose, tight),
	fieldRow("minLength lowered", `{"type":"markdown","minLength":5}`, `{"type":"markdown","minLength":4}`, loose, tight),
	fieldRow("minLength dropped", `{"type":"markdown","minLength":5}`, `{"type":"markdown"}`, loose, tight),
	fieldRow("max raised", `{"type":"number","max":9}`, `{"type":"number","max":10}`, loose, tight),
	fieldRow("max dropped", `{"type":"number","max":9}`, `{"type":"number"}`, loose, tight),
	fieldRow("min lowered", `{"type":"number","min":-9}`, `{"type":"number","min":-10}`, loose, tight),
	fieldRow("min dropped", `{"type":"number","min":0}`, `{"type":"number"}`, loose, tight),
	fieldRow("max date raised", `{"type":"date","max":"2020-01-09"}`, `{"type":"date","max":"2020-01-10"}`, loose, tight),
	fieldRow("min datetime lowered", `{"type":"datetime","min":"2020-01-01T00:00:00Z"}`, `{"type":"datetime","min":"2020-01-01T00:30:00+01:00"}`, loose, tight),
	fieldRow("maxItems raised", `{"type":"list","of":{"type":"text"},"maxItems":1}`, `{"type":"list","of":{"type":"text"},"maxItems":2}`, loose, tight),
	fieldRow("minItems lowered", `{"type":"list","of":{"type":"text"},"minItems":2}`, `{"type":"list","of":{"type":"text"},"minItems":1}`, loose, tight),
	fieldRow("enum dropped", `{"type":"text","enum":["a"]}`, `{"type":"text"}`, loose, tight),
	fieldRow("enum grown", `{"type":"text","enum":["a"]}`, `{"type":"text","enum":["a","b"]}`, loose, tight),
	fieldRow("enum exchanged", `{"type":"text","enum":["a"]}`, `{"type":"text","enum":["b"]}`, tight+", "+loose, tight+", "+loose),
	fieldRow("enum reordered", `{"type":"text","enum":["a","b"]}`, `{"type":"text","enum":["b","a"]}`, "safe enum_reordered f", "safe enum_reordered f"),
	fieldRow("pattern dropped", `{"type":"text","pattern":"a"}`, `{"type":"text"}`, loose, tight),
	fieldRow("pattern changed", `{"type":"text","pattern":"a"}`, `{"type":"text","pattern":"b"}`, tight, tight),
	fieldRow("integer dropped", `{"type":"number","integer":true}`, `{"type":"number"}`, loose, tight),
	fieldRow("multiple of a reference", `{"type":"reference","to":"c"}`, `{"type":"reference","to":"c","multiple":true}`, "safe multiple_allowed f", "conditionally_destructive multiple_disallowed f"),
	fieldRow("multiple of an asset", `{"type":"asset"}`, `{"type":"asset","multiple":true}`, "safe multiple_allowed f", "conditionally_destructive multiple_disallowed f"),
	{"target of a reference", `{"name":"c","fields":{"f":{"type":"reference","to":"c"}}},{"name":"d","fields":{}}`, `{"name":"c","fields":{"f":{"type":"reference","to":"d"}}},{"name":"d","fields":{}}`,
		split("destructive retargeted f"), split("destructive retargeted f")},
	{"target of listed references", `{"name":"c","fields":{"f":{"type":"list","of":{"type":"reference","to":"c"}}}},{"name":"d","fields":{}}`, `{"name":"c","fields":{"f":{"type":"list","of":{"type":"reference","to":"d"}}}},{"name":"d","fields":{}}`,
		split("destructive retargeted f[]"), split("destructive retargeted f[]")},
	fieldRow("item kind", `{"type":"list","of":{"type":"text"}}`, `{"type":"list","of":{"type":"number"}}`, "destructive item_type_changed f[]", "destructive item_type_changed f[]"),
	fieldRow("constraint of items", `{"type":"list","of":{"type":"text","maxLength":1}}`, `{"type":"list","of":{"type":"text","maxLength":2}}`, loose+"[]", tight+"[]"),
	fieldRow("allowed families grown", `{"type":"asset","allowed":["image/*"]}`, `{"type":"asset","allowed":["image/*","video/*"]}`, loose, tight),
	fieldRow("allowed families widened", `{"type":"asset","allowed":["image/png"]}`, `{"type":"asset","allowed":["image/*"]}`, loose, tight),
	fieldRow("allowed families dropped", `{"type":"asset","allowed":["image/*"]}`, `{"type":"asset"}`, loose, tight),
	fieldRow("a block", `{"type":"blocks","allowed":[{"key":"a","fields":{}}]}`, `{"type":"blocks","allowed":[{"key":"a","fields":{}},{"key":"b","fields":{}}]}`, "safe block_added f.b", "destructive block_removed f.b"),
	fieldRow("block order", `{"type":"blocks","allowed":[{"key":"a","fields":{}},{"key":"b","fields":{}}]}`, `{"type":"blocks","allowed":[{"key":"b","fields":{}},{"key":"a","fields":{}}]}`, "safe blocks_reordered f", "safe blocks_reordered f"),
	fieldRow("block label", `{"type":"blocks","allowed":[{"key":"a","fields":{}}]}`, `{"type":"blocks","allowed":[{"key":"a","label":"A","fields":{}}]}`, "safe label_changed f.a", "safe label_changed f.a"),
	fieldRow("a field of a block made required", `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"text"}}}]}`, `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"text","required":true}}}]}`,
		"conditionally_destructive made_required f.a.x", "safe made_optional f.a.x"),
	fieldRow("a nested field", `{"type":"object","fields":{}}`, `{"type":"object","fields":{"a":{"type":"text","required":true}}}`, "conditionally_destructive field_added f.a", "destructive field_removed f.a"),
	fieldRow("a field of listed objects", `{"type":"list","of":{"type":"object","fields":{}}}`, `{"type":"list","of":{"type":"object","fields":{"a":{"type":"text"}}}}`, "safe field_added f[].a", "destructive field_removed f[].a"),
	fieldRow("nested order", `{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text"}}}`, `{"type":"object","fields":{"b":{"type":"text"},"a":{"type":"text"}}}`, "safe fields_reordered f", "safe fields_reordered f"),
}

func TestEveryRowBothWays(t *testing.T) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			old, new := parse(t, tt.old), parse(t, tt.new)
			for _, way := range []struct {
				name     string
				from, to []*schema.Collection
				want     []string
			}{{"there", old, new, tt.there}, {"back", new, old, tt.back}} {
				plan := Diff(way.from, way.to)
				if diff := cmp.Diff(way.want, show(plan)); diff != "" {
					t.Errorf("%s: %s", way.name, diff)
				}
				if got, want := plan.Class, highest(plan); got != want {
					t.Errorf("%s: the plan is %s, its highest operation %s", way.name, got, want)
				}
			}
			if plan := Diff(old, old); !plan.InSync() || plan.Class != Safe {
				t.Errorf("with itself: %v, %s", show(plan), plan.Class)
			}
		})
	}
}

// Nested fields follow the rows of top-level ones.
func TestEveryRowOfAFieldHoldsAtEveryDepth(t *testing.T) {
	const open, end = `{"name":"c","fields":{"f":`, `}}`
	wraps := []struct{ open, end, path string }{
		{`{"type":"object","fields":{"f":`, `}}`, "f.f"},
		{`{"type":"list","of":{"type":"object","fields":{"f":`, `}}}`, "f[].f"},
		{`{"type":"blocks","allowed":[{"key":"b","fields":{"f":`, `}}]}`, "f.b.f"},
		{`{"type":"object","fields":{"f":{"type":"blocks","allowed":[{"key":"b","fields":{"f":`, `}}]}}}`, "f.f.b.f"},
	}
	held := 0
	for _, tt := range rows {
		nestable := strings.HasPrefix(tt.old, open) && strings.HasPrefix(tt.new, open) && !strings.Contains(tt.new, `"type":"slug"`) && !strings.Contains(tt.new, "localized")
		if !nestable || tt.name == "field order" {
			continue // not a row of one field, or of what only top-level fields can be
		}
		for _, w := range wraps {
			wrap := func(file string) []*schema.Collection {
				first, others, _ := strings.Cut(file, `,{"name"`)
				def := strings.TrimSuffix(strings.TrimPrefix(first, open), end)
				nested := open + w.open + def + w.end + end
				if others != "" {
					nested += `,{"name"` + others
				}
				return parse(t, nested)
			}
			moved := func(operations []string) []string {
				var out []string
				for _, o := range operations {
					words := strings.SplitN(o, " ", 3)
					words[2] = w.path + strings.TrimPrefix(words[2], "f")
					out = append(out, strings.Join(words, " "))
				}
				return out
			}
			old, new := wrap(tt.old), wrap(tt.new)
			if d := cmp.Diff(moved(tt.there), show(Diff(old, new))); d != "" {
				t.Errorf("%s at %s, there: %s", tt.name, w.path, d)
			}
			if d := cmp.Diff(moved(tt.back), show(Diff(new, old))); d != "" {
				t.Errorf("%s at %s, back: %s", tt.name, w.path, d)
			}
			held++
		}
	}
	if held < 150 {
		t.Errorf("only %d rows were nested", held)
	}
}

func TestThePlanIsOrdered(t *testing.T) {
	old := parse(t, `{"name":"b","fields":{"z":{"type":"text"},"a":{"type":"text"}}},{"name":"a","fields":{}}`)
	new := parse(t, `{"name":"c","fields":{}},{"name":"b","visibility":"public","fields":{"z":{"type":"text","label":"Z","required":true},"a":{"type":"text","label":"A"}}}`)
	want := []string{
		"destructive collection_removed", "safe made_public", "safe label_changed a",
		"safe label_changed z", "conditionally_destructive made_required z", "safe collection_added",
	}
	for range 20 {
		if diff := cmp.Diff(want, show(Diff(old, new))); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestEveryKindIsListedAndUsed(t *testing.T) {
	used := map[Kind]bool{}
	for _, tt := range rows {
		for _, o := range append(Diff(parse(t, tt.old), parse(t, tt.new)).Operations, Diff(parse(t, tt.new), parse(t, tt.old)).Operations...) {
			used[o.Kind] = true
			if o.Message == "" {
				t.Errorf("%s: an operation without a message", tt.name)
			}
		}
	}
	for _, k := range Kinds() {
		if !used[k] {
			t.Errorf("no row shows %s", k)
		}
		delete(used, k)
	}
	for k := range used {
		t.Errorf("%s is not listed", k)
	}
}

func parse(t *testing.T, files string) []*schema.Collection {
	t.Helper()
	var raw []jsontext.Value
	if err := json.Unmarshal([]byte("["+files+"]"), &raw); err != nil {
		t.Fatal(err)
	}
	set, err := schema.ParseSet(raw)
	if err != nil {
		t.Fatalf("%s: %v", files, err)
	}
	return set
}

func show(p Plan) []string {
	var all []string
	for _, o := range p.Operations {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", o.Class, o.Kind, o.Field)))
	}
	return all
}

func highest(p Plan) Class {
	class := Safe
	for _, o := range p.Operations {
		if o.Class == Destructive || o.Class == ConditionallyDestructive && class == Safe {
			class = o.Class
		}
	}
	return class
}
