package diff_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/core/diff"
	"svc/shared/schema"
	"svc/shared/testrand"
	"svc/shared/value"
)

func collection(t rapid.TB, fields string) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"things","fields":{` + fields + `}}`))
	if err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return c
}

func mergedRevisions(t rapid.TB, made, current *schema.Collection, locales value.Locales, base, mine, theirs jsontext.Value) *diff.Plan {
	t.Helper()
	plan, err := diff.MergeRevisions(made, current, locales, diff.Revision{Fields: base}, diff.Revision{Fields: mine}, diff.Revision{Fields: theirs})
	if err != nil {
		t.Fatalf("base %s\nmine %s\ntheirs %s\n%v", base, mine, theirs, err)
	}
	return plan
}

// Edits of what the schema no longer has, or has with another type, are conflicts at any depth, and what stands beside them is not.
func TestMergeRevisionsAtAnyDepth(t *testing.T) {
	const text, markdown = `{"type":"text"}`, `{"type":"markdown"}`
	object := func(fields string) string { return `{"type":"object","fields":{` + fields + `}}` }
	list := func(of string) string { return `{"type":"list","of":` + of + `}` }
	blocks := func(fields string) string {
		return `{"type":"blocks","allowed":[{"key":"q","fields":{` + fields + `}}]}`
	}
	const xy, y = `"x":` + text + `,"y":` + text, `"y":` + text
	for _, tt := range []struct {
		name, made, current, base, mine, theirs string // of the field f
		replayed, agreed, conflicts, takeTheirs string
	}{
		{name: "a member was removed", made: object(xy), current: object(y),
			base: `{"x":"1","y":"1"}`, mine: `{"x":"2","y":"2"}`, theirs: `{"x":"1","y":"1"}`,
			replayed: `changed f.y "1" "2"`, conflicts: `f.x "1" "2" - field_removed`, takeTheirs: `{"y":"2"}`},
		{name: "mine left it alone", made: object(xy), current: object(y),
			base: `{"x":"1","y":"1"}`, mine: `{"x":"1","y":"2"}`, theirs: `{"y":"1"}`, replayed: `changed f.y "1" "2"`, takeTheirs: `{"y":"2"}`},
		{name: "mine cleared it", made: object(xy), current: object(y),
			base: `{"x":"1","y":"1"}`, mine: `{"y":"1"}`, theirs: `{"y":"1"}`, agreed: `removed f.x "1" -`, takeTheirs: `{"y":"1"}`},
		{name: "mine added the object with it alone", made: object(xy), current: object(y),
			base: ``, mine: `{"x":"2"}`, theirs: ``, conflicts: `f - {"x":"2"} - field_removed`, takeTheirs: ``},
		{name: "a deep member was removed", made: object(`"d":` + object(xy)), current: object(`"d":` + object(y)),
			base: `{"d":{"x":"1","y":"1"}}`, mine: `{"d":{"x":"2","y":"1"}}`, theirs: `{"d":{"y":"3"}}`,
			conflicts: `f.d.x "1" "2" - field_removed`, takeTheirs: `{"d":{"y":"3"}}`},
		{name: "an inner object was removed", made: object(`"d":` + object(y) + `,` + y), current: object(y),
			base: `{"d":{"y":"1"}}`, mine: `{"d":{"y":"2"}}`, theirs: `{}`, conflicts: `f.d {"y":"1"} {"y":"2"} - field_removed`, takeTheirs: `{}`},
		{name: "a member was retyped", made: object(xy), current: object(`"x":` + markdown + `,` + y),
			base: `{"x":"1","y":"1"}`, mine: `{"x":"2","y":"2"}`, theirs: `{"x":"1","y":"1"}`,
			replayed: `changed f.y "1" "2"`, conflicts: `f.x "1" "2" "1" field_retyped`, takeTheirs: `{"x":"1","y":"2"}`},
		{name: "a member of items was removed", made: list(object(xy)), current: list(object(y)),
			base: `[{"x":"1","y":"1"}]`, mine: `[{"x":"2","y":"1"}]`, theirs: `[{"y":"1"}]`,
			conflicts: `f [{"y":"1","x":"1"}] [{"y":"1","x":"2"}] [{"y":"1"}] field_removed`, takeTheirs: `[{"y":"1"}]`},
		{name: "mine left it alone in items", made: list(object(xy)), current: list(object(y)),
			base: `[{"x":"1","y":"1"},{"x":"2"}]`, mine: `[{"x":"2"},{"x":"1","y":"2"}]`, theirs: `[{"y":"1"},{}]`,
			replayed: `changed f [{"y":"1"},{}] [{},{"y":"2"}]`, takeTheirs: `[{},{"y":"2"}]`},
		{name: "mine cleared it in items", made: list(object(xy)), current: list(object(y)),
			base: `[{"x":"1","y":"1"}]`, mine: `[{"y":"1"}]`, theirs: `[{"y":"3"}]`, takeTheirs: `[{"y":"3"}]`},
		{name: "a member of items was retyped", made: list(object(xy)), current: list(object(`"x":` + markdown + `,` + y)),
			base: `[{"x":"1"}]`, mine: `[{"x":"2"}]`, theirs: `[{"x":"1"}]`, conflicts: `f [{"x":"1"}] [{"x":"2"}] [{"x":"1"}] field_retyped`, takeTheirs: `[{"x":"1"}]`},
		{name: "a member of blocks was removed", made: blocks(xy), current: blocks(y),
			base: `[{"type":"q","fields":{"x":"1"}}]`, mine: `[{"type":"q","fields":{"x":"2"}}]`, theirs: `[{"type":"q","fields":{}}]`,
			conflicts:  `f [{"type":"q","fields":{"x":"1"}}] [{"type":"q","fields":{"x":"2"}}] [{"type":"q","fields":{}}] field_removed`,
			takeTheirs: `[{"type":"q","fields":{}}]`},
		{name: "a block was removed", made: `{"type":"blocks","allowed":[{"key":"p","fields":{` + y + `}},{"key":"q","fields":{` + y + `}}]}`, current: blocks(y),
			base: `[]`, mine: `[{"type":"p","fields":{"y":"1"}}]`, theirs: `[]`, conflicts: `f [] [{"type":"p","fields":{"y":"1"}}] [] field_removed`, takeTheirs: `[]`},
		{name: "locales of an object with a removed member", made: `{"type":"object","localized":true,"fields":{` + xy + `}}`, current: `{"type":"object","localized":true,"fields":{` + y + `}}`,
			base: `{"en":{"x":"1","y":"1"}}`, mine: `{"de":{"x":"2"},"en":{"x":"1","y":"2"}}`, theirs: `{"en":{"y":"1"}}`,
			replayed: `changed f.en.y "1" "2"`, conflicts: `f.de - {"x":"2"} - field_removed`, takeTheirs: `{"en":{"y":"2"}}`},
		{name: "json became an object", made: `{"type":"json"}`, current: object(y),
			base: `{"x":1}`, mine: `{"x":2}`, theirs: `{}`, conflicts: `f {"x":1} {"x":2} {} field_retyped`, takeTheirs: `{}`},
		{name: "items became objects", made: list(`{"type":"json"}`), current: list(object(y)),
			base: `[{"x":1}]`, mine: `[{"x":2,"y":"1"}]`, theirs: `[{"y":"1"}]`, conflicts: `f [{"x":1}] [{"x":2,"y":"1"}] [{"y":"1"}] field_retyped`, takeTheirs: `[{"y":"1"}]`},
		{name: "declared since", made: object(y), current: object(xy),
			base: `{"y":"1"}`, mine: `{"y":"2"}`, theirs: `{"x":"3","y":"1"}`, replayed: `changed f.y "1" "2"`, takeTheirs: `{"x":"3","y":"2"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields := func(f string) jsontext.Value {
				if f == "" {
					return jsontext.Value(`{}`)
				}
				return jsontext.Value(`{"f":` + f + `}`)
			}
			plan := mergedRevisions(t, collection(t, `"f":`+tt.made), collection(t, `"f":`+tt.current), german, fields(tt.base), fields(tt.mine), fields(tt.theirs))
			checkPlan(t, plan, tt.replayed, tt.agreed, tt.conflicts)
			if got := resolved(t, plan, diff.TakeTheirs); string(got) != string(fields(tt.takeTheirs)) {
				t.Errorf("with theirs %s", got)
			}
		})
	}
}

// A slug is one field to a merge, whatever declares it.
func TestMergeRevisionsFollowsTheSlug(t *testing.T) {
	const field, renamed, beside, none = `"path":"/{slug}","fields":{"slug":{"type":"slug"}}`, `"fields":{"address":{"type":"slug"}}`, `"path":"/{slug}","fields":{}`, `"fields":{}`
	for _, tt := range []struct{ name, made, current, replayed, conflicts string }{
		{"renamed", field, renamed, `changed address "a" "b"`, ""},
		{"declared no more", field, beside, `changed slug "a" "b"`, ""},
		{"declared since", beside, renamed, `changed address "a" "b"`, ""},
		{"a field that went with slugs", field, none, "", `slug "a" "b" - field_removed`},
		{"slugs went", beside, none, "", `slug "a" "b" - field_removed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parse := func(text string) *schema.Collection {
				c, err := schema.Parse([]byte(`{"name":"things",` + text + `}`))
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			side := func(slug string) diff.Revision {
				if tt.made == field {
					return diff.Revision{Fields: jsontext.Value(`{"slug":"` + slug + `"}`), Slug: &slug}
				}
				return diff.Revision{Fields: jsontext.Value(`{}`), Slug: &slug}
			}
			for mine, want := range map[string]struct{ replayed, conflicts string }{"a": {}, "b": {tt.replayed, tt.conflicts}} {
				plan, err := diff.MergeRevisions(parse(tt.made), parse(tt.current), value.Locales{}, side("a"), side(mine), side("a"))
				if err != nil {
					t.Fatal(err)
				}
				checkPlan(t, plan, want.replayed, "", want.conflicts)
			}
		})
	}
}

var mark = regexp.MustCompile(`mark \d+`)

// Whatever became of the schema, a plan names every text that mine brings, and without conflicts all of them are in what it leads to.
func TestMergesOfRevisionsLoseNoEditToTheSchema(t *testing.T) {
	removed := 0
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		s.marks = new(int)
		made := &schema.Collection{Name: "things", Fields: s.Fields}
		current := &schema.Collection{Name: "things", Fields: drawChanged(t, s.Fields)}
		base := s.edit(t, jsontext.Value(`{}`))
		mine, theirs := s.edit(t, base), s.edit(t, base)
		plan := mergedRevisions(t, made, current, s.Locales, base, mine, theirs)
		said, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		result := resolved(t, plan, diff.TakeTheirs)
		for _, text := range mark.FindAllString(string(mine), -1) {
			switch {
			case slices.Contains(mark.FindAllString(string(base), -1), text):
			case !slices.Contains(mark.FindAllString(string(said), -1), text):
				t.Fatalf("base %s\nmine %s\ntheirs %s\nthe plan %s\nlacks %q", base, mine, theirs, said, text)
			case len(plan.Conflicts) == 0 && !slices.Contains(mark.FindAllString(string(result), -1), text):
				t.Fatalf("base %s\nmine %s\ntheirs %s\nlead to %s\nwithout %q", base, mine, theirs, result, text)
			}
		}
		for _, c := range plan.Conflicts {
			if c.Reason == diff.FieldRemoved {
				removed++
			}
		}
	})
	if removed == 0 {
		t.Error("no edit is of a removed field")
	}
}

// drawChanged draws fields of which some are removed, and some have another type, at any depth.
func drawChanged(t *rapid.T, fields schema.Fields) (out schema.Fields) {
	for _, f := range fields {
		if rapid.IntRange(0, 7).Draw(t, "removed") > 0 {
			out = append(out, drawRetyped(t, f))
		}
	}
	return out
}

func drawRetyped(t *rapid.T, f *schema.Field) *schema.Field {
	f = new(*f)
	if rapid.IntRange(0, 7).Draw(t, "retyped") == 0 {
		f.Type = schema.TypeJSON
	}
	f.Fields = drawChanged(t, f.Fields)
	if f.Of != nil {
		f.Of = drawRetyped(t, f.Of)
	}
	f.Blocks = slices.Clone(f.Blocks)
	for i, b := range f.Blocks {
		f.Blocks[i] = &schema.Block{Key: b.Key, Fields: drawChanged(t, b.Fields)}
	}
	return f
}

// marked draws a text that no other is equal to.
func (s site) marked() jsontext.Value {
	*s.marks++
	return jsontext.Value(fmt.Sprintf(`"mark %d"`, *s.marks))
}
