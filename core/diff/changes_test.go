package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/diff"
	"svc/shared/schema"
	"svc/shared/value"
)

var german = value.Locales{Codes: []string{"en", "de"}, Default: "en"}

// frame parses fields as they stand in a schema.
func frame(t testing.TB, locales value.Locales, fields string) diff.Frame {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"things","fields":{` + fields + `}}`))
	if err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return diff.Frame{Fields: c.Fields, Locales: locales}
}

// listed is a list of changes, one a line, without segments.
func listed(changes []diff.Change) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", c.Kind, c.Path, shown(c.Before), shown(c.After)))
	}
	return strings.Join(lines, "\n")
}

func shown(raw jsontext.Value) string {
	if raw == nil {
		return "-"
	}
	return string(raw)
}

const (
	post = `"title":{"type":"text","localized":true},"rating":{"type":"number"},"seo":{"type":"object","fields":{
		"a":{"type":"text"},"b":{"type":"text"},"deep":{"type":"object","fields":{"c":{"type":"text"},"j":{"type":"json"}}}}},
		"tags":{"type":"list","of":{"type":"text"}},"links":{"type":"reference","to":"things","multiple":true},"data":{"type":"json"},
		"body":{"type":"richText"},"parts":{"type":"blocks","allowed":[{"key":"q","fields":{"t":{"type":"text"},"j":{"type":"json"}}},{"key":"r","fields":{}}]},
		"rows":{"type":"list","of":{"type":"object","fields":{"t":{"type":"text"},"j":{"type":"json"}}}}`
	inLocale = `"seo":{"type":"object","localized":true,"fields":{"a":{"type":"text"},"b":{"type":"text"}}},"data":{"type":"json","localized":true},
		"body":{"type":"richText","localized":true},"tags":{"type":"list","localized":true,"of":{"type":"text"}}`
)

func TestChanges(t *testing.T) {
	for _, tt := range []struct{ name, fields, before, after, want string }{
		{"nothing changed", post, `{"rating":1,"seo":{"a":"x"}}`, `{"rating":1,"seo":{"a":"x"}}`, ""},
		{"without a base every field is added", post, ``, `{"rating":1,"seo":{"a":"x"}}`, "added rating - 1\nadded seo - {\"a\":\"x\"}"},
		{"without an after every field is removed", post, `{"title":{"de":"x"},"tags":["x"]}`, ``, "removed title.de \"x\" -\nremoved tags [\"x\"] -"},
		{"neither side is there", post, ``, ``, ""},
		{"in the order of the schema", post, `{"tags":[],"rating":1}`, `{"rating":2,"tags":["a"]}`, "changed rating 1 2\nchanged tags [] [\"a\"]"},
		{"objects descend to the changed leaf", post, `{"seo":{"a":"1","b":"2","deep":{"c":"3"}}}`, `{"seo":{"a":"1","deep":{"c":"4"}}}`,
			"removed seo.b \"2\" -\nchanged seo.deep.c \"3\" \"4\""},
		{"an object that one side lacks is one change", post, `{"seo":{"deep":{"c":"3"}}}`, `{"seo":{"a":"1"}}`, "added seo.a - \"1\"\nremoved seo.deep {\"c\":\"3\"} -"},
		{"an empty object is a value", post, `{}`, `{"seo":{}}`, "added seo - {}"},
		{"what is no object is compared whole", post, `{"seo":[1]}`, `{"seo":{"a":"1"}}`, `changed seo [1] {"a":"1"}`},
		{"locale maps descend by locale", post, `{"title":{"de":"x","en":"y"}}`, `{"title":{"en":"z","fr":"w"}}`, "removed title.de \"x\" -\nchanged title.en \"y\" \"z\"\nadded title.fr - \"w\""},
		{"a locale map appears by locale", post, `{}`, `{"title":{"de":"x","en":"y"}}`, "added title.de - \"x\"\nadded title.en - \"y\""},
		{"an empty locale map is absent", post, `{"title":{}}`, `{"title":{"en":null}}`, ""},
		{"a plain value against a locale map is one change", post, `{"title":"x"}`, `{"title":{"en":"x"}}`, `changed title "x" {"en":"x"}`},
		{"plain values of a localized field", post, `{"title":"x"}`, `{"title":"y"}`, `changed title "x" "y"`},
		{"objects in locales descend", inLocale, `{"seo":{"de":{"a":"1"},"en":{"a":"1"}}}`, `{"seo":{"de":{"a":"2"}}}`, "changed seo.de.a \"1\" \"2\"\nremoved seo.en {\"a\":\"1\"} -"},
		{"plain objects of a localized field descend", inLocale, `{"seo":{"a":"1","b":"1"}}`, `{"seo":{"a":"2","b":"1"}}`, `changed seo.a "1" "2"`},
		{"a plain object against a locale map is one change", inLocale, `{"seo":{"a":"1"}}`, `{"seo":{"en":{"a":"1"}}}`, `changed seo {"a":"1"} {"en":{"a":"1"}}`},
		{"json in locales descends by locale alone", inLocale, `{"data":{"en":{"x":1},"de":1}}`, `{"data":{"en":{"x":2},"de":1.0}}`, `changed data.en {"x":1} {"x":2}`},
		{"plain json of a localized field is one value", inLocale, `{"data":{"x":1,"y":2}}`, `{"data":{"x":2,"y":2}}`, `changed data {"x":1,"y":2} {"x":2,"y":2}`},
		{"richText in locales", inLocale, `{"body":{"en":{"type":"doc"}}}`, `{"body":{"en":{"type":"doc","content":[]}}}`, `changed body.en {"type":"doc"} {"type":"doc","content":[]}`},
		{"plain richText against a locale map", inLocale, `{"body":{"type":"doc"}}`, `{"body":{"en":{"type":"doc"}}}`, `changed body {"type":"doc"} {"en":{"type":"doc"}}`},
		{"lists in locales", inLocale, `{"tags":{"en":["a"]}}`, `{"tags":{"en":["a","b"]}}`, `changed tags.en ["a"] ["a","b"]`},
		{"lists are compared whole", post, `{"rows":[{"t":"1"},{"t":"2"}]}`, `{"rows":[{"t":"1"},{"t":"3"}]}`, `changed rows [{"t":"1"},{"t":"2"}] [{"t":"1"},{"t":"3"}]`},
		{"longer lists", post, `{"tags":["a"]}`, `{"tags":["a","b"]}`, `changed tags ["a"] ["a","b"]`},
		{"several references are compared whole", post, `{"links":["x","y"]}`, `{"links":["y","x"]}`, `changed links ["x","y"] ["y","x"]`},
		{"blocks are compared whole", post, `{"parts":[{"type":"q","fields":{"t":"1"}}]}`, `{"parts":[{"type":"q","fields":{"t":"2"}}]}`,
			`changed parts [{"type":"q","fields":{"t":"1"}}] [{"type":"q","fields":{"t":"2"}}]`},
		{"blocks of another type", post, `{"parts":[{"type":"q","fields":{}}]}`, `{"parts":[{"type":"r","fields":{}}]}`, `changed parts [{"type":"q","fields":{}}] [{"type":"r","fields":{}}]`},
		{"blocks that the schema does not declare", post, `{"parts":[{"type":"x","fields":{"t":"1"}}]}`, `{"parts":[{"type":"x","fields":{"t":"2"}}]}`,
			`changed parts [{"type":"x","fields":{"t":"1"}}] [{"type":"x","fields":{"t":"2"}}]`},
		{"what is no block", post, `{"parts":[1]}`, `{"parts":[{"type":"q"}]}`, `changed parts [1] [{"type":"q"}]`},
		{"richText is one value", post, `{"body":{"type":"doc","content":[]}}`, `{"body":{"type":"doc","content":[{}]}}`, `changed body {"type":"doc","content":[]} {"type":"doc","content":[{}]}`},
		{"members of richText have no order", post, `{"body":{"type":"doc","content":[]}}`, `{"body":{"content":[],"type":"doc"}}`, ``},
		{"json is one value", post, `{"data":{"x":{"y":1}}}`, `{"data":{"x":{"y":2}}}`, `changed data {"x":{"y":1}} {"x":{"y":2}}`},
		{"members of json have no order", post, `{"data":{"x":[{"a":1,"b":2}],"y":2}}`, `{"data":{"y":2,"x":[{"b":2,"a":1}]}}`, ``},
		{"items of json have an order", post, `{"data":[1,2]}`, `{"data":[2,1]}`, `changed data [1,2] [2,1]`},
		{"numbers in json compare as decimals", post, `{"data":[1.0,-0,100,1e-3,12345678901234567890.10]}`, `{"data":[1,0.0,1E+2,0.001,12345678901234567890.1]}`, ``},
		{"numbers in json compare exactly", post, `{"data":12345678901234567890}`, `{"data":12345678901234567891}`, `changed data 12345678901234567890 12345678901234567891`},
		{"numbers in json may be of any length", post, `{"data":1` + strings.Repeat("0", 300) + `.0}`, `{"data":1e300}`, ``},
		{"numbers beyond decimals compare as text", post, `{"data":1e1000000}`, `{"data":1e1000001}`, `changed data 1e1000000 1e1000001`},
		{"null in json is a value", post, `{"data":null,"seo":{"deep":{}}}`, `{"data":{"a":null},"seo":{"deep":{"j":null}}}`, "added seo.deep.j - null\nchanged data null {\"a\":null}"},
		{"null within json is a value", post, `{"data":{"a":null}}`, `{"data":{}}`, `changed data {"a":null} {}`},
		{"null elsewhere is absent", post, `{"rating":null,"seo":{"a":null},"title":{"en":"x","de":null}}`, `{"tags":null,"seo":{},"title":{"en":"x"}}`, ``},
		{"null in objects of arrays is absent", post, `{"rows":[{"t":null,"j":1}],"parts":[{"type":"q","fields":{"t":null}}]}`, `{"rows":[{"j":1.0}],"parts":[{"type":"q","fields":{}}]}`, ``},
		{"null in json of arrays is a value", post, `{"rows":[{"j":null}]}`, `{"rows":[{}]}`, `changed rows [{"j":null}] [{}]`},
		{"numbers keep their text", post, `{"rating":1.50}`, `{"rating":2e0}`, `changed rating 1.50 2e0`},
		{"numbers outside of json compare as written", post, `{"rating":1}`, `{"rating":1.0}`, `changed rating 1 1.0`},
		{"undeclared fields come last, by key, as one value", post, `{"zz":{"a":1},"aa":1,"rating":1,"nn":null}`, `{"zz":{"a":2},"rating":2}`,
			"changed rating 1 2\nremoved aa 1 -\nchanged zz {\"a\":1} {\"a\":2}"},
		{"undeclared members of objects", post, `{"seo":{"gone":1,"a":"x"}}`, `{"seo":{"a":"y"}}`, "changed seo.a \"x\" \"y\"\nremoved seo.gone 1 -"},
		{"names that paths quote", post, `{"a.b":1,"seo":{"\"":1,"[0]":2}}`, `{}`, "removed seo {\"\\\"\":1,\"[0]\":2} -\nremoved [\"a.b\"] 1 -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := diff.Changes(frame(t, german, tt.fields), jsontext.Value(tt.before), jsontext.Value(tt.after), budget())
			if got := listed(changes); err != nil || got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, tt.want, err)
			}
		})
	}
}

func TestWithoutLocalesLocalizedFieldsArePlain(t *testing.T) {
	f := frame(t, value.Locales{}, inLocale)
	changes, err := diff.Changes(f, jsontext.Value(`{"seo":{"a":"1"},"data":{"en":1}}`), jsontext.Value(`{"seo":{"a":"2"},"data":{"en":2}}`), budget())
	if got, want := listed(changes), "changed seo.a \"1\" \"2\"\nchanged data {\"en\":1} {\"en\":2}"; err != nil || got != want {
		t.Errorf("got\n%s\n%v", got, err)
	}
}

func TestProseOfMoreThan160CharactersHasSegments(t *testing.T) {
	const fields = `"t":{"type":"text"},"m":{"type":"markdown"},"r":{"type":"richText","localized":true},"l":{"type":"list","of":{"type":"text"}},
		"j":{"type":"json"},"s":{"type":"text","localized":true},"o":{"type":"object","fields":{"t":{"type":"text"}}}`
	long, limit := `"`+strings.Repeat("é", 161)+`"`, `"`+strings.Repeat("é", 160)+`"`
	tree := func(start string) string { return `{` + start + `"content":[{"text":` + long + `,"type":"text"}]}` }
	for _, tt := range []struct {
		name, before, after string
		want                string // equal, insert and delete as they follow each other, of the only change
	}{
		{"text", `{"t":"a"}`, `{"t":` + long + `}`, "delete insert"},
		{"before is the longer side", `{"t":` + long + `}`, `{"t":"a"}`, "delete insert"},
		{"160 characters are too few", `{"t":"a"}`, `{"t":` + limit + `}`, ""},
		{"markdown", `{"m":` + long + `}`, `{"m":` + long[:len(long)-1] + ` b"}`, "equal insert"},
		{"nested text", `{"o":{"t":"a"}}`, `{"o":{"t":` + long + `}}`, "delete insert"},
		{"in a locale", `{"s":{"de":"a"}}`, `{"s":{"de":` + long + `}}`, "delete insert"},
		{"added", ``, `{"s":{"de":` + long + `}}`, "insert"},
		{"removed", `{"m":` + long + `}`, `{}`, "delete"},
		{"richText over canonical JSON", `{"r":{"en":` + tree(`"type":"doc",`) + `}}`, `{"r":{"en":` + tree("") + `}}`, "equal delete equal"},
		{"richText against a locale map", `{"r":{"type":"doc","x":` + long + `}}`, `{"r":{"en":{"type":"doc","x":` + long + `}}}`, ""},
		{"text against a locale map", `{"s":` + long + `}`, `{"s":{"en":` + long + `}}`, ""},
		{"lists", `{"l":[]}`, `{"l":[` + long + `]}`, ""},
		{"json", `{"j":1}`, `{"j":` + long + `}`, ""},
		{"undeclared", `{"x":1}`, `{"x":` + long + `}`, ""},
		{"what is no text", `{"t":1}`, `{"t":` + long + `}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := diff.Changes(frame(t, german, fields), jsontext.Value(tt.before), jsontext.Value(tt.after), budget())
			if err != nil || len(changes) != 1 {
				t.Fatalf("%d changes, %v", len(changes), err)
			}
			var ops []string
			for _, s := range changes[0].Segments {
				ops = append(ops, string(s.Op))
			}
			if got := strings.Join(ops, " "); got != tt.want {
				t.Errorf("got %q, want %q: %q", got, tt.want, changes[0].Segments)
			}
		})
	}
}

func TestSegmentsOfRichTextMakeUpItsCanonicalJSON(t *testing.T) {
	f := frame(t, german, `"r":{"type":"richText"}`)
	text := strings.Repeat("x", 160)
	changes, err := diff.Changes(f, nil, jsontext.Value(`{"r":{"type":"doc","content":[{"width":100,"text":"`+text+`","ratio":1.50}]}}`), budget())
	want := `{"content":[{"ratio":1.5,"text":"` + text + `","width":100}],"type":"doc"}`
	if err != nil || len(changes) != 1 || len(changes[0].Segments) != 1 || changes[0].Segments[0].Value != want {
		t.Errorf("got %q, %v", changes, err)
	}
}

func TestDamagedFieldsAreRefused(t *testing.T) {
	f := frame(t, german, post)
	good := jsontext.Value(`{"data":{"a":1},"seo":{"a":"x"},"tags":[1],"parts":[{}],"title":{"en":"x"},"body":{"a":1}}`)
	for _, bad := range []string{`[]`, `{"a" :1}`, `{"data":{"a" 1}}`, `{"seo":{"a" 1}}`, `{"tags":[1 2]}`, `{"parts":[{1}]}`, `{"title":{"en" 1}}`, `{"body":{"a" 1}}`} {
		raw := jsontext.Value(bad)
		if _, err := diff.Changes(f, raw, good, budget()); err == nil {
			t.Errorf("%s is compared", bad)
		}
		if _, err := diff.Changes(f, good, raw, budget()); err == nil {
			t.Errorf("%s is compared as after", bad)
		}
		if _, err := diff.Merge(f, f, good, raw, good); err == nil {
			t.Errorf("%s is merged", bad)
		}
	}
}

func TestChangesMarshalAsTheInterfaceShowsThem(t *testing.T) {
	f := frame(t, german, post)
	changes, err := diff.Changes(f, jsontext.Value(`{"rating":1.0}`), jsontext.Value(`{"title":{"de":"x"}}`), budget())
	if err != nil {
		t.Fatal(err)
	}
	changes[0].Segments = diff.Segments("a", "b")
	got, err := json.Marshal(changes)
	want := `[{"path":"title.de","before":null,"after":"x","kind":"added","segments":[{"op":"delete","value":"a"},{"op":"insert","value":"b"}]},` +
		`{"path":"rating","before":1.0,"after":null,"kind":"removed"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	var again []diff.Change
	if err := json.Unmarshal(got, &again); err != nil || !slices.Equal(again[0].Path, changes[0].Path) {
		t.Fatalf("read back: %v, %v", again, err)
	}
	applied, err := diff.Apply(f, jsontext.Value(`{"rating":1.0}`), again)
	if err != nil || string(applied) != `{"title":{"de":"x"}}` {
		t.Errorf("applied as read back: %s, %v", applied, err)
	}
}

// Once the budget of words is used up, only what two texts begin and end with is equal.
func TestWordsAreComparedWithinABudget(t *testing.T) {
	f := frame(t, german, `"a":{"type":"text"},"b":{"type":"text"}`)
	side := func(words string) jsontext.Value {
		text := "first " + strings.Repeat(words, 60) + "last"
		return jsontext.Value(`{"a":"` + text + `","b":"` + text + `"}`)
	}
	for left, fine := range map[int][2]bool{700: {false, false}, 1500: {true, false}, 3000: {true, true}} {
		changes, err := diff.Changes(f, side("one two "), side("two one "), &left)
		if err != nil || len(changes) != 2 {
			t.Fatal(changes, err)
		}
		for n, c := range changes {
			if equal := equalIn(c.Segments); equal > 400 != fine[n] || equal < 10 {
				t.Errorf("%d characters of text %d are equal; by word: %v", equal, n, fine[n])
			}
		}
	}
}

func budget() *int { return new(diff.WordBudget) }
