package diff_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/diff"
	"svc/shared/content"
	"svc/shared/value"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name, base, mine, theirs string
		replayed, agreed         string // as listed
		conflicts                string // path, base, mine, theirs, reason
		takeMine, takeTheirs     string
	}{
		{name: "untouched by the other side is replayed", base: `{"rating":1,"tags":["a"]}`, mine: `{"rating":2,"tags":["a"]}`, theirs: `{"rating":1,"tags":["b"]}`,
			replayed: "changed rating 1 2", takeMine: `{"rating":2,"tags":["b"]}`, takeTheirs: `{"rating":2,"tags":["b"]}`},
		{name: "equal results agree", base: `{"rating":1}`, mine: `{"rating":2}`, theirs: `{"rating":2}`,
			agreed: "changed rating 1 2", takeMine: `{"rating":2}`, takeTheirs: `{"rating":2}`},
		{name: "both changed differently is a conflict", base: `{"rating":1}`, mine: `{"rating":2}`, theirs: `{"rating":3}`,
			conflicts: "rating 1 2 3", takeMine: `{"rating":2}`, takeTheirs: `{"rating":3}`},
		{name: "both cleared agree", base: `{"rating":1}`, mine: `{}`, theirs: `{}`, agreed: "removed rating 1 -", takeMine: `{}`, takeTheirs: `{}`},
		{name: "what they alone changed stays", base: `{}`, mine: `{}`, theirs: `{"rating":3}`, takeMine: `{"rating":3}`, takeTheirs: `{"rating":3}`},
		{name: "mine cleared, theirs changed", base: `{"rating":1}`, mine: `{}`, theirs: `{"rating":3}`,
			conflicts: "rating 1 - 3", takeMine: `{}`, takeTheirs: `{"rating":3}`},
		{name: "mine changed, theirs cleared", base: `{"rating":1}`, mine: `{"rating":2}`, theirs: `{}`,
			conflicts: "rating 1 2 -", takeMine: `{"rating":2}`, takeTheirs: `{}`},
		{name: "independent leaves of an object merge", base: `{"seo":{"a":"1","b":"1"}}`, mine: `{"seo":{"a":"2","b":"1"}}`, theirs: `{"seo":{"a":"1","deep":{"c":"x"}}}`,
			replayed: `changed seo.a "1" "2"`, takeMine: `{"seo":{"a":"2","deep":{"c":"x"}}}`, takeTheirs: `{"seo":{"a":"2","deep":{"c":"x"}}}`},
		{name: "one leaf of an object conflicts", base: `{"seo":{"a":"1","b":"1"}}`, mine: `{"seo":{"a":"2","b":"2"}}`, theirs: `{"seo":{"a":"3","b":"1"}}`,
			replayed: `changed seo.b "1" "2"`, conflicts: `seo.a "1" "2" "3"`, takeMine: `{"seo":{"a":"2","b":"2"}}`, takeTheirs: `{"seo":{"a":"3","b":"2"}}`},
		{name: "members of an object cleared by both sides leave it empty", base: `{"seo":{"a":"1","b":"1"}}`, mine: `{"seo":{"b":"1"}}`, theirs: `{"seo":{"a":"1"}}`,
			replayed: `removed seo.a "1" -`, takeMine: `{"seo":{}}`, takeTheirs: `{"seo":{}}`},
		{name: "mine cleared an object in which theirs changed a member", base: `{"seo":{"a":"1","b":"1"}}`, mine: `{}`, theirs: `{"seo":{"a":"1","b":"2"}}`,
			conflicts: `seo {"a":"1","b":"1"} - {"a":"1","b":"2"}`, takeMine: `{}`, takeTheirs: `{"seo":{"a":"1","b":"2"}}`},
		{name: "theirs cleared an object in which mine changed a member", base: `{"seo":{"deep":{"c":"1"}}}`, mine: `{"seo":{"deep":{"c":"2"}}}`, theirs: `{"seo":{}}`,
			conflicts: `seo.deep {"c":"1"} {"c":"2"} -`, takeMine: `{"seo":{"deep":{"c":"2"}}}`, takeTheirs: `{"seo":{}}`},
		{name: "both sides added an object", base: `{}`, mine: `{"seo":{"a":"1"}}`, theirs: `{"seo":{"b":"1"}}`,
			conflicts: `seo - {"a":"1"} {"b":"1"}`, takeMine: `{"seo":{"a":"1"}}`, takeTheirs: `{"seo":{"b":"1"}}`},
		{name: "locales merge", base: `{"title":{"de":"1","en":"1"}}`, mine: `{"title":{"de":"2","en":"1"}}`, theirs: `{"title":{"de":"1","en":"2","fr":"1"}}`,
			replayed: `changed title.de "1" "2"`, takeMine: `{"title":{"de":"2","en":"2","fr":"1"}}`, takeTheirs: `{"title":{"de":"2","en":"2","fr":"1"}}`},
		{name: "both sides added locales", base: `{}`, mine: `{"title":{"de":"1"}}`, theirs: `{"title":{"en":"1"}}`,
			replayed: `added title.de - "1"`, takeMine: `{"title":{"de":"1","en":"1"}}`, takeTheirs: `{"title":{"de":"1","en":"1"}}`},
		{name: "all locales cleared by both sides leave nothing", base: `{"title":{"de":"1","en":"1"}}`, mine: `{"title":{"de":"1"}}`, theirs: `{"title":{"en":"1"}}`,
			replayed: `removed title.en "1" -`, takeMine: `{}`, takeTheirs: `{}`},
		{name: "a field cleared against a changed locale", base: `{"title":{"de":"1","en":"1"}}`, mine: `{}`, theirs: `{"title":{"de":"1","en":"2"}}`,
			replayed: `removed title.de "1" -`, conflicts: `title.en "1" - "2"`, takeMine: `{}`, takeTheirs: `{"title":{"en":"2"}}`},
		{name: "a plain value against a changed locale map", base: `{"title":"1"}`, mine: `{"title":"2"}`, theirs: `{"title":{"en":"1"}}`,
			conflicts: `title "1" "2" {"en":"1"}`, takeMine: `{"title":"2"}`, takeTheirs: `{"title":{"en":"1"}}`},
		{name: "arrays are compared whole", base: `{"tags":["a","b"]}`, mine: `{"tags":["x","b"]}`, theirs: `{"tags":["a","y"]}`,
			conflicts: `tags ["a","b"] ["x","b"] ["a","y"]`, takeMine: `{"tags":["x","b"]}`, takeTheirs: `{"tags":["a","y"]}`},
		{name: "json agrees in another notation", base: `{"data":1}`, mine: `{"data":{"a":1.0,"b":2}}`, theirs: `{"data":{"b":2,"a":1}}`,
			agreed: `changed data 1 {"a":1.0,"b":2}`, takeMine: `{"data":{"b":2,"a":1}}`, takeTheirs: `{"data":{"b":2,"a":1}}`},
		{name: "json in another notation is untouched", base: `{"data":1}`, mine: `{"data":1.0}`, theirs: `{"data":2}`, takeMine: `{"data":2}`, takeTheirs: `{"data":2}`},
		{name: "without a base", mine: `{"rating":1}`, theirs: `{"tags":["a"]}`, replayed: "added rating - 1", takeMine: `{"rating":1,"tags":["a"]}`, takeTheirs: `{"rating":1,"tags":["a"]}`},
		{name: "undeclared values that mine left alone stay as theirs are", base: `{"gone":1}`, mine: `{"gone":1,"rating":1}`, theirs: `{"gone":2}`,
			replayed: "added rating - 1", takeMine: `{"rating":1,"gone":2}`, takeTheirs: `{"rating":1,"gone":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := frame(t, german, post)
			plan := merged(t, f, jsontext.Value(tt.base), jsontext.Value(tt.mine), jsontext.Value(tt.theirs))
			checkPlan(t, plan, tt.replayed, tt.agreed, tt.conflicts)
			if got := resolved(t, plan, diff.TakeMine); string(got) != tt.takeMine {
				t.Errorf("with mine %s, want %s", got, tt.takeMine)
			}
			if got := resolved(t, plan, diff.TakeTheirs); string(got) != tt.takeTheirs {
				t.Errorf("with theirs %s, want %s", got, tt.takeTheirs)
			}
		})
	}
}

func checkPlan(t *testing.T, plan *diff.Plan, replayed, agreed, conflicts string) {
	t.Helper()
	if got := listed(plan.Replayed); got != replayed {
		t.Errorf("replayed\n%s\nwant\n%s", got, replayed)
	}
	if got := listed(plan.Agreed); got != agreed {
		t.Errorf("agreed\n%s\nwant\n%s", got, agreed)
	}
	var lines []string
	for line := range strings.Lines(seen(plan.Conflicts)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	if got := strings.Join(lines, "\n"); got != conflicts {
		t.Errorf("conflicts\n%s\nwant\n%s", got, conflicts)
	}
}

func TestMergeUnderAChangedSchema(t *testing.T) {
	for _, tt := range []struct {
		name, made, current, base, mine, theirs string
		replayed, agreed, conflicts, takeMine   string
	}{
		{name: "a removed field", made: `"a":{"type":"text"},"b":{"type":"text"}`, current: `"b":{"type":"text"}`,
			base: `{"a":"1","b":"1"}`, mine: `{"a":"2","b":"2"}`, theirs: `{"b":"1"}`,
			replayed: `changed b "1" "2"`, conflicts: `a "1" "2" - field_removed`, takeMine: `{"b":"2","a":"2"}`},
		{name: "a removed field that is still stored", made: `"a":{"type":"text"}`, current: `"b":{"type":"text"}`,
			base: `{"a":"1"}`, mine: `{"a":"2"}`, theirs: `{"a":"1"}`, conflicts: `a "1" "2" "1" field_removed`, takeMine: `{"a":"2"}`},
		{name: "a removed field that mine left alone", made: `"a":{"type":"text"}`, current: `"b":{"type":"text"}`,
			base: `{"a":"1"}`, mine: `{"a":"1","b":"x"}`, theirs: `{}`, replayed: `added b - "x"`, takeMine: `{"b":"x"}`},
		{name: "a removed field that mine cleared", made: `"a":{"type":"text"}`, current: `"b":{"type":"text"}`,
			base: `{"a":"1"}`, mine: `{}`, theirs: `{}`, agreed: `removed a "1" -`, takeMine: `{}`},
		{name: "a removed member", made: `"o":{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text"}}}`, current: `"o":{"type":"object","fields":{"b":{"type":"text"}}}`,
			base: `{"o":{"a":"1"}}`, mine: `{"o":{"a":"2","b":"2"}}`, theirs: `{"o":{"a":"1"}}`,
			replayed: `added o.b - "2"`, conflicts: `o.a "1" "2" "1" field_removed`, takeMine: `{"o":{"b":"2","a":"2"}}`},
		{name: "another type", made: `"a":{"type":"text"}`, current: `"a":{"type":"number"}`,
			base: `{"a":"1"}`, mine: `{"a":"2"}`, theirs: `{"a":"1"}`, conflicts: `a "1" "2" "1" field_retyped`, takeMine: `{"a":"2"}`},
		{name: "another type with the same result", made: `"a":{"type":"text"}`, current: `"a":{"type":"json"}`,
			base: `{"a":"1"}`, mine: `{"a":"2"}`, theirs: `{"a":"2"}`, agreed: `changed a "1" "2"`, takeMine: `{"a":"2"}`},
		{name: "another type and another result", made: `"a":{"type":"text"}`, current: `"a":{"type":"number"}`,
			base: `{"a":"1"}`, mine: `{"a":"2"}`, theirs: `{"a":3}`, conflicts: `a "1" "2" 3 field_retyped`, takeMine: `{"a":"2"}`},
		{name: "an object that became json", made: `"o":{"type":"object","fields":{"a":{"type":"text"}}}`, current: `"o":{"type":"json"}`,
			base: `{"o":{"a":"1"}}`, mine: `{"o":{"a":"2"}}`, theirs: `{"o":{"a":"1"}}`, conflicts: `o {"a":"1"} {"a":"2"} {"a":"1"} field_retyped`, takeMine: `{"o":{"a":"2"}}`},
		{name: "json that became an object", made: `"o":{"type":"json"}`, current: `"o":{"type":"object","fields":{"a":{"type":"text"}}}`,
			base: `{"o":{"a":"1"}}`, mine: `{"o":{"a":"2"}}`, theirs: `{"o":{"a":"1"}}`, conflicts: `o {"a":"1"} {"a":"2"} {"a":"1"} field_retyped`, takeMine: `{"o":{"a":"2"}}`},
		{name: "a member of another type", made: `"o":{"type":"object","fields":{"a":{"type":"text"}}}`, current: `"o":{"type":"object","fields":{"a":{"type":"number"}}}`,
			base: `{"o":{"a":"1"}}`, mine: `{"o":{"a":"2"}}`, theirs: `{"o":{"a":"1"}}`, conflicts: `o.a "1" "2" "1" field_retyped`, takeMine: `{"o":{"a":"2"}}`},
		{name: "items of another type", made: `"l":{"type":"list","of":{"type":"text"}}`, current: `"l":{"type":"list","of":{"type":"number"}}`,
			base: `{"l":["1"]}`, mine: `{"l":["2"]}`, theirs: `{"l":["1"]}`, conflicts: `l ["1"] ["2"] ["1"] field_retyped`, takeMine: `{"l":["2"]}`},
		{name: "one value where there were several", made: `"r":{"type":"asset","multiple":true}`, current: `"r":{"type":"asset"}`,
			base: `{"r":["x"]}`, mine: `{"r":["y"]}`, theirs: `{"r":["x"]}`, conflicts: `r ["x"] ["y"] ["x"] field_retyped`, takeMine: `{"r":["y"]}`},
		{name: "several values where there was one", made: `"r":{"type":"asset"}`, current: `"r":{"type":"asset","multiple":true}`,
			base: `{"r":"x"}`, mine: `{"r":"y"}`, theirs: `{"r":"x"}`, replayed: `changed r "x" "y"`, takeMine: `{"r":"y"}`},
		{name: "no locales any more", made: `"a":{"type":"text","localized":true}`, current: `"a":{"type":"text"}`,
			base: `{"a":{"en":"1"}}`, mine: `{"a":{"en":"2"}}`, theirs: `{"a":{"en":"1"}}`, conflicts: `a {"en":"1"} {"en":"2"} {"en":"1"} field_retyped`, takeMine: `{"a":{"en":"2"}}`},
		{name: "an object without locales any more", made: `"o":{"type":"object","localized":true,"fields":{"a":{"type":"text"}}}`, current: `"o":{"type":"object","fields":{"a":{"type":"text"}}}`,
			base: `{"o":{"en":{"a":"1"}}}`, mine: `{"o":{"en":{"a":"2"}}}`, theirs: `{"o":{"en":{"a":"1"}}}`,
			conflicts: `o {"en":{"a":"1"}} {"en":{"a":"2"}} {"en":{"a":"1"}} field_retyped`, takeMine: `{"o":{"en":{"a":"2"}}}`},
		{name: "localized since", made: `"a":{"type":"text"}`, current: `"a":{"type":"text","localized":true}`,
			base: `{"a":"1"}`, mine: `{"a":"2"}`, theirs: `{"a":"1"}`, replayed: `changed a "1" "2"`, takeMine: `{"a":"2"}`},
		{name: "declared since", made: `"b":{"type":"text"}`, current: `"a":{"type":"text"},"b":{"type":"text"}`,
			base: `{}`, mine: `{"a":"2"}`, theirs: `{}`, replayed: `added a - "2"`, takeMine: `{"a":"2"}`},
		{name: "the order of the current schema", made: `"a":{"type":"text"},"b":{"type":"text"}`, current: `"b":{"type":"text"},"a":{"type":"text"}`,
			base: `{}`, mine: `{"a":"2","b":"2"}`, theirs: `{}`, replayed: "added b - \"2\"\nadded a - \"2\"", takeMine: `{"b":"2","a":"2"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := diff.Merge(frame(t, german, tt.made), frame(t, german, tt.current), jsontext.Value(tt.base), jsontext.Value(tt.mine), jsontext.Value(tt.theirs))
			if err != nil {
				t.Fatal(err)
			}
			checkPlan(t, plan, tt.replayed, tt.agreed, tt.conflicts)
			if got := resolved(t, plan, diff.TakeMine); string(got) != tt.takeMine {
				t.Errorf("with mine %s, want %s", got, tt.takeMine)
			}
		})
	}
}

func TestPlansMarshalByPath(t *testing.T) {
	f := frame(t, german, post)
	plan, err := diff.Merge(f, frame(t, german, `"rating":{"type":"text"}`), jsontext.Value(`{"rating":1.0}`), jsontext.Value(`{}`), jsontext.Value(`{"rating":1.0}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(plan)
	want := `{"replayed":[],"agreed":[],"conflicts":[{"path":"rating","base":1.0,"mine":null,"theirs":1.0,"reason":"field_retyped"}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestApply(t *testing.T) {
	set := func(at, v string) diff.Change {
		return diff.Change{Path: path(t, at), Kind: diff.Changed, After: jsontext.Value(v)}
	}
	gone := func(at string) diff.Change { return diff.Change{Path: path(t, at), Kind: diff.Removed} }
	for _, tt := range []struct {
		name, base string
		changes    []diff.Change
		want       string // empty: refused
	}{
		{"nothing", ``, nil, `{}`},
		{"members in the order of the schema", `{"tags":[],"seo":{"b":"1"}}`, []diff.Change{set("seo.a", `"1"`), set("zz", `1`), set("rating", `1`), set("aa", `1`)}, `{"rating":1,"seo":{"a":"1","b":"1"},"tags":[],"aa":1,"zz":1}`},
		{"what stands in another order", `{"seo":{"b":"1","a":"1"},"rating":1}`, nil, `{"rating":1,"seo":{"a":"1","b":"1"}}`},
		{"locales by code", `{"title":{"fr":"1","de":"1"}}`, []diff.Change{set("title.en", `"1"`)}, `{"title":{"de":"1","en":"1","fr":"1"}}`},
		{"null is left out, but in json", `{"rating":null,"seo":{"a":null,"deep":{"j":null}},"data":null,"title":{"en":null}}`, nil, `{"seo":{"deep":{"j":null}},"data":null}`},
		{"cleared", `{"rating":1,"seo":{"a":"1"}}`, []diff.Change{gone("rating"), gone("seo.a")}, `{"seo":{}}`},
		{"cleared where it is absent", `{}`, []diff.Change{gone("rating")}, `{}`},
		{"the last locale cleared", `{"title":{"en":"x"}}`, []diff.Change{gone("title.en")}, `{}`},
		{"a first locale", `{}`, []diff.Change{set("title.en", `"x"`)}, `{"title":{"en":"x"}}`},
		{"names that paths quote", `{}`, []diff.Change{set(`["a.\"b"]`, `1`)}, `{"a.\"b":1}`},
		{"into an absent object", `{}`, []diff.Change{set("seo.a", `"1"`)}, ``},
		{"into a text", `{"title":"x"}`, []diff.Change{set("title.en", `"1"`)}, ``},
		{"into json", `{"data":{"a":1}}`, []diff.Change{set("data.a", `2`)}, ``},
		{"into an undeclared object", `{"zz":{"a":1}}`, []diff.Change{set("zz.a", `2`)}, ``},
		{"into an array", `{"tags":["a"]}`, []diff.Change{set("tags[0]", `"b"`)}, ``},
		{"an item of all fields", `{}`, []diff.Change{set("[0]", `1`)}, ``},
		{"all fields at once", `{}`, []diff.Change{set("", `{}`)}, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := diff.Apply(frame(t, german, post), jsontext.Value(tt.base), tt.changes)
			if tt.want == "" {
				if err == nil {
					t.Errorf("got %s", got)
				}
			} else if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	plain := frame(t, value.Locales{}, inLocale)
	for _, at := range []string{"seo.en", "data.en"} {
		if got, err := diff.Apply(plain, nil, []diff.Change{set(at, `{}`)}); err == nil {
			t.Errorf("without locales, %s becomes %s", at, got)
		}
	}
}

func TestContentions(t *testing.T) {
	set := func(at, v string) diff.Change {
		return diff.Change{Path: path(t, at), Kind: diff.Changed, After: jsontext.Value(v)}
	}
	gone := func(at string) diff.Change { return diff.Change{Path: path(t, at), Kind: diff.Removed} }
	for _, tt := range []struct {
		name string
		sets map[content.ChangeSetID][]diff.Change
		want string
	}{
		{"no set", nil, ``},
		{"one set", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`), gone("y")}}, ``},
		{"one set with a value and one within it", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`), set("x.y", `1`)}}, ``},
		{"different paths", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("y", `1`)}}, ``},
		{"different values", map[content.ChangeSetID][]diff.Change{"b": {set("x", `1`)}, "a": {set("x", `2`)}}, `x a b`},
		{"one value", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("x", `1`)}}, ``},
		{"one value in another notation", map[content.ChangeSetID][]diff.Change{"a": {set("x", `{"a":1,"b":2.0}`)}, "b": {set("x", `{"b":2,"a":1}`)}}, ``},
		{"two of three agree", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("x", `1`)}, "c": {set("x", `2`)}}, `x a b c`},
		{"cleared and changed", map[content.ChangeSetID][]diff.Change{"a": {gone("x")}, "b": {set("x", `1`)}}, `x a b`},
		{"the first and the last of three agree", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("x", `2`)}, "c": {set("x", `1`)}}, `x a b c`},
		{"a value and one within it", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("x.y", `1`)}}, `x a b`},
		{"all cleared", map[content.ChangeSetID][]diff.Change{"a": {gone("x")}, "b": {gone("x")}}, ``},
		{"an object cleared and a member changed", map[content.ChangeSetID][]diff.Change{"b": {gone("x")}, "a": {set("x.y.z", `1`)}}, `x a b`},
		{"an object cleared, its members changed and another member", map[content.ChangeSetID][]diff.Change{"a": {gone("x.y")}, "b": {set("x.y.z", `1`), set("x.w", `1`)}, "c": {set("x.y.z", `1`), set("x.w", `2`)}}, "x.w b c\nx.y a b c"},
		{"members of one object", map[content.ChangeSetID][]diff.Change{"a": {set("x.y", `1`)}, "b": {set("x.z", `1`)}}, ``},
		{"names with one beginning", map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("xy", `2`), set("x-", `2`)}}, ``},
		{"by path", map[content.ChangeSetID][]diff.Change{"a": {set("z", `1`), set("a", `1`)}, "b": {set("z", `2`), set("a", `2`)}}, "a a b\nz a b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := diff.Contentions(tt.sets)
			var lines []string
			for _, c := range found {
				line := c.Path.String()
				for _, id := range c.Sets {
					line += " " + string(id)
				}
				lines = append(lines, line)
			}
			if got := strings.Join(lines, "\n"); err != nil || got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, tt.want, err)
			}
		})
	}
	damaged := map[content.ChangeSetID][]diff.Change{"a": {set("x", `1`)}, "b": {set("x", `{1}`)}}
	if found, err := diff.Contentions(damaged); err == nil {
		t.Errorf("a damaged value is compared: %v", found)
	}
}

// A plan that is detached has its values, and none of the bytes that they were parts of.
func TestADetachedPlanHasItsValuesAlone(t *testing.T) {
	sides := [3]jsontext.Value{
		jsontext.Value(`{"a":"base","b":"base","c":"base"}`), jsontext.Value(`{"a":"mine","b":"mine","c":"mine","d":"mine"}`),
		jsontext.Value(`{"a":"base","b":"mine","c":"theirs"}`),
	}
	f := frame(t, value.Locales{}, `"a":{"type":"text"},"b":{"type":"text"},"c":{"type":"text"},"d":{"type":"text"}`)
	plan, err := diff.Merge(f, f, sides[0], sides[1], sides[2])
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(plan)
	if err != nil || len(plan.Replayed) != 2 || len(plan.Agreed) != 1 || len(plan.Conflicts) != 1 {
		t.Fatal(string(want), err)
	}
	plan.Detach()
	for _, side := range sides {
		clear(side)
	}
	if got, err := json.Marshal(plan); err != nil || string(got) != string(want) {
		t.Errorf("%s, want %s (%v)", got, want, err)
	}
}
