package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

const (
	entryID = `"ent_01h455vb4pex5vsknk084sn02q"`
	assetID = `"ast_01h455vb4pex5vsknk084sn02q"`
)

var german = value.Locales{Codes: []string{"en", "de"}, Default: "en"}

func collection(t testing.TB, fields string) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"c","fields":{` + fields + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func codes(items []fault.Item) string {
	var all []string
	for _, item := range items {
		all = append(all, item.Path+" "+item.Code)
	}
	return strings.Join(all, ", ")
}

// Every field type and option, with values just inside and just outside. want is "path code, …" below fields.f;
// empty where the value fits.
func TestValues(t *testing.T) {
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, tt := range []struct{ field, value, want string }{
		{`{"type":"text"}`, `""`, ""},
		{`{"type":"text"}`, `1`, "fields.f type"},
		{`{"type":"text"}`, `["a"]`, "fields.f type"},
		{`{"type":"text","required":true}`, `""`, ""},
		{`{"type":"text","required":true}`, `null`, "fields.f required"},
		{`{"type":"text"}`, `null`, ""},
		{`{"type":"text","minLength":2}`, `"🎈🎈"`, ""},
		{`{"type":"text","minLength":2}`, `"🎈"`, "fields.f min_length"},
		{`{"type":"text","minLength":2}`, `"\n"`, "fields.f min_length"},
		{`{"type":"text","maxLength":3}`, long(3), ""},
		{`{"type":"text","maxLength":3}`, long(4), "fields.f max_length"},
		{`{"type":"text","maxLength":0}`, `""`, ""},
		{`{"type":"text","maxLength":0}`, `"a"`, "fields.f max_length"},
		{`{"type":"text","pattern":"^[a-z]+$"}`, `"abc"`, ""},
		{`{"type":"text","pattern":"^[a-z]+$"}`, `"abc\n"`, "fields.f pattern"},
		{`{"type":"text","pattern":"b"}`, `"abc"`, ""},
		{`{"type":"text","pattern":"^\\p{Greek}$"}`, `"\u03b1"`, ""},
		{`{"type":"text","enum":["a","é"]}`, `"\u00e9"`, ""},
		{`{"type":"text","enum":["a","b"]}`, `"A"`, "fields.f enum"},
		{`{"type":"text","minLength":3,"pattern":"^b","enum":["x"]}`, `"a"`, "fields.f min_length, fields.f pattern, fields.f enum"},
		{`{"type":"number"}`, `1.5`, ""},
		{`{"type":"number"}`, `"1.5"`, "fields.f type"},
		{`{"type":"number","integer":true}`, `9007199254740993`, ""},
		{`{"type":"number","integer":true}`, `2.0`, ""},
		{`{"type":"number","integer":true}`, `15e-1`, "fields.f integer"},
		{`{"type":"number","integer":true}`, `9007199254740992.5`, "fields.f integer"},
		{`{"type":"number","min":0.1}`, `0.1`, ""},
		{`{"type":"number","min":0.1}`, `0.09999999999999999999`, "fields.f min"},
		{`{"type":"number","max":9007199254740992}`, `9007199254740992`, ""},
		{`{"type":"number","max":9007199254740992}`, `9007199254740993`, "fields.f max"},
		{`{"type":"number","min":0}`, `-0.0`, ""},
		{`{"type":"boolean"}`, `false`, ""},
		{`{"type":"boolean"}`, `0`, "fields.f type"},
		{`{"type":"date"}`, `"2024-02-29"`, ""},
		{`{"type":"date"}`, `"2023-02-29"`, "fields.f date"},
		{`{"type":"date"}`, `"2024-2-29"`, "fields.f date"},
		{`{"type":"date"}`, `"2024-02-29T00:00:00Z"`, "fields.f date"},
		{`{"type":"date"}`, `20240229`, "fields.f type"},
		{`{"type":"date","min":"2024-01-02"}`, `"2024-01-02"`, ""},
		{`{"type":"date","min":"2024-01-02"}`, `"2024-01-01"`, "fields.f min"},
		{`{"type":"date","max":"2024-01-02"}`, `"2024-01-02"`, ""},
		{`{"type":"date","max":"2024-01-02"}`, `"2024-01-03"`, "fields.f max"},
		{`{"type":"datetime"}`, `"2024-01-02T03:04:05.678+05:30"`, ""},
		{`{"type":"datetime"}`, `"2024-01-02T03:04:05"`, "fields.f datetime"},
		{`{"type":"datetime"}`, `"2024-01-02T24:00:00Z"`, "fields.f datetime"},
		{`{"type":"datetime"}`, `"2024-02-30T00:00:00Z"`, "fields.f datetime"},
		{`{"type":"datetime","min":"2024-01-01T00:00:00Z"}`, `"2024-01-01T01:00:00+01:00"`, ""},
		{`{"type":"datetime","min":"2024-01-01T00:00:00Z"}`, `"2024-01-01T00:59:59+01:00"`, "fields.f min"},
		{`{"type":"datetime","max":"2024-01-01T00:00:00Z"}`, `"2023-12-31T19:00:00-05:00"`, ""},
		{`{"type":"datetime","max":"2024-01-01T00:00:00Z"}`, `"2024-01-01T00:00:00.000000001Z"`, "fields.f max"},
		{`{"type":"markdown","minLength":1,"maxLength":2}`, `"ab"`, ""},
		{`{"type":"markdown","minLength":1,"maxLength":2}`, `"abc"`, "fields.f max_length"},
		{`{"type":"markdown","minLength":1}`, `""`, "fields.f min_length"},
		{`{"type":"json"}`, `{"a":[null,{"b":1e5}]}`, ""},
		{`{"type":"json"}`, `"x"`, ""},
		{`{"type":"slug"}`, `"a-1"`, ""},
		{`{"type":"slug"}`, `"A"`, "fields.f slug"},
		{`{"type":"slug"}`, `"a--b"`, "fields.f slug"},
		{`{"type":"slug"}`, `"-a"`, "fields.f slug"},
		{`{"type":"slug"}`, `"a-"`, "fields.f slug"},
		{`{"type":"slug"}`, `""`, "fields.f slug"},
		{`{"type":"slug"}`, `"` + strings.Repeat("a", schema.MaxSlugLength) + `"`, ""},
		{`{"type":"slug"}`, `"` + strings.Repeat("a", schema.MaxSlugLength+1) + `"`, "fields.f slug"},
		{`{"type":"reference","to":"c"}`, entryID, ""},
		{`{"type":"reference","to":"c"}`, assetID, "fields.f reference"},
		{`{"type":"reference","to":"c"}`, `"ent_01H455VB4PEX5VSKNK084SN02Q"`, "fields.f reference"},
		{`{"type":"reference","to":"c"}`, `"ent_81h455vb4pex5vsknk084sn02q"`, "fields.f reference"},
		{`{"type":"reference","to":"c"}`, `[` + entryID + `]`, "fields.f type"},
		{`{"type":"reference","to":"c","multiple":true}`, `[` + entryID + `,` + entryID + `]`, ""},
		{`{"type":"reference","to":"c","multiple":true}`, `[]`, ""},
		{`{"type":"reference","to":"c","multiple":true}`, entryID, ""},
		{`{"type":"reference","to":"c","multiple":true}`, `[` + entryID + `,"x",null]`, "fields.f[1] reference, fields.f[2] type"},
		{`{"type":"asset"}`, assetID, ""},
		{`{"type":"asset"}`, entryID, "fields.f asset"},
		{`{"type":"asset","multiple":true}`, `[` + assetID + `,1]`, "fields.f[1] type"},
		{`{"type":"list","of":{"type":"text"},"minItems":1,"maxItems":2}`, `["a"]`, ""},
		{`{"type":"list","of":{"type":"text"},"minItems":1,"maxItems":2}`, `["a","b"]`, ""},
		{`{"type":"list","of":{"type":"text"},"minItems":1,"maxItems":2}`, `[]`, "fields.f min_items"},
		{`{"type":"list","of":{"type":"text"},"minItems":1,"maxItems":2}`, `["a","b","c"]`, "fields.f max_items"},
		{`{"type":"list","of":{"type":"text","maxLength":1}}`, `["a","bb",1]`, "fields.f[1] max_length, fields.f[2] type"},
		{`{"type":"list","of":{"type":"text"}}`, `[null]`, "fields.f[0] type"},
		{`{"type":"list","of":{"type":"json"}}`, `[null,{}]`, ""},
		{`{"type":"list","of":{"type":"text"}}`, `"a"`, "fields.f type"},
		{`{"type":"list","of":{"type":"reference","to":"c"}}`, `[` + entryID + `,[` + entryID + `]]`, "fields.f[1] type"},
		{`{"type":"list","of":{"type":"object","fields":{"a":{"type":"text","required":true}}}}`, `[{"a":"x"},{},{"b":1}]`,
			"fields.f[1].a required, fields.f[2].b unknown_field, fields.f[2].a required"},
		{`{"type":"object","fields":{"a":{"type":"text","required":true},"b":{"type":"number"}}}`, `{"a":"x"}`, ""},
		{`{"type":"object","fields":{"a":{"type":"text","required":true},"b":{"type":"number"}}}`, `{"b":"x"}`, "fields.f.a required, fields.f.b type"},
		{`{"type":"object","fields":{"a":{"type":"text","required":true,"default":"x"}}}`, `{}`, ""},
		{`{"type":"object","fields":{}}`, `[]`, "fields.f type"},
		{`{"type":"object","fields":{"a":{"type":"object","fields":{"b":{"type":"object","fields":{"c":{"type":"object","fields":{"d":{"type":"text"}}}}}}}}}`, `{"a":{"b":{"c":{"d":1}}}}`, "fields.f.a.b.c.d type"},
	} {
		t.Run(tt.field+" "+tt.value, func(t *testing.T) {
			stored, items := Entry(collection(t, `"f":`+tt.field), value.Locales{}, []byte(`{"f":`+tt.value+`}`), value.FillRequired)
			if got := codes(items); got != tt.want {
				t.Errorf("got %q, want %q: %+v", got, tt.want, items)
			}
			if (stored == nil) != (len(items) > 0) {
				t.Errorf("a stored form beside findings, or neither: %s", stored)
			}
			for _, item := range items {
				if item.Message == "" {
					t.Errorf("no message for %+v", item)
				}
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	c := collection(t, `"sections":{"type":"blocks","minItems":1,"maxItems":3,"allowed":[{"key":"quote","fields":{"title":{"type":"text","required":true},"n":{"type":"number"}}},{"key":"line","fields":{}}]}`)
	for _, tt := range []struct{ name, value, want string }{
		{"good", `[{"type":"quote","fields":{"title":"x"}},{"type":"line","fields":{}}]`, ""},
		{"without fields", `[{"type":"line"}]`, ""},
		{"required field in the third", `[{"type":"line"},{"type":"line"},{"type":"quote","fields":{"n":"1"}}]`, "fields.sections[2].fields.title required, fields.sections[2].fields.n type"},
		{"unknown block", `[{"type":"video","fields":{}}]`, "fields.sections[0].type unknown_block"},
		{"unknown field", `[{"type":"line","fields":{"titel":"x"}}]`, "fields.sections[0].fields.titel unknown_field"},
		{"no type", `[{"fields":{}}]`, "fields.sections[0].type required"},
		{"type that is no string", `[{"type":1}]`, "fields.sections[0].type required"},
		{"other member", `[{"type":"line","id":1}]`, "fields.sections[0].id unknown_field"},
		{"fields that are no object", `[{"type":"line","fields":[]}]`, "fields.sections[0].fields type"},
		{"no object", `["line",null]`, "fields.sections[0] type, fields.sections[1] type"},
		{"no array", `{"type":"line"}`, "fields.sections type"},
		{"too few", `[]`, "fields.sections min_items"},
		{"too many", `[{"type":"line"},{"type":"line"},{"type":"line"},{"type":"line"}]`, "fields.sections max_items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, items := Entry(c, value.Locales{}, []byte(`{"sections":`+tt.value+`}`), value.FillRequired)
			if got := codes(items); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLocalizedFields(t *testing.T) {
	c := collection(t, `"title":{"type":"text","required":true,"localized":true,"maxLength":3},"o":{"type":"object","localized":true,"fields":{"a":{"type":"text","required":true}}},"plain":{"type":"text"}`)
	for _, tt := range []struct {
		name, in, want string
		locales        value.Locales
	}{
		{"map", `{"title":{"en":"a","de":"b"}}`, "", german},
		{"default locale only", `{"title":{"en":"a"}}`, "", german},
		{"no default locale", `{"title":{"de":"b"}}`, "fields.title.en required", german},
		{"null in the default locale", `{"title":{"de":"b","en":null}}`, "fields.title.en required", german},
		{"no value in any locale", `{"title":{}}`, "fields.title.en required", german},
		{"missing", `{}`, "fields.title required", german},
		{"unknown locale", `{"title":{"en":"a","xx":"b"}}`, "fields.title.xx unknown_locale", german},
		{"each against the rules", `{"title":{"en":"abcd","de":1}}`, "fields.title.en max_length, fields.title.de type", german},
		{"a plain value", `{"title":"a"}`, "fields.title type", german},
		{"objects by locale", `{"title":{"en":"a"},"o":{"de":{"a":"x"},"en":{}}}`, "fields.o.en.a required", german},
		{"a plain object", `{"title":{"en":"a"},"o":{"a":"x"}}`, "fields.o type", german},
		{"objects by unknown locale", `{"title":{"en":"a"},"o":{"xx":{"a":"x"}}}`, "fields.o.xx unknown_locale", german},
		{"a map in a field that is not localized", `{"title":{"en":"a"},"plain":{"en":"a"}}`, "fields.plain type", german},
		{"without project locales, plain", `{"title":"a","o":{"a":"x"}}`, "", value.Locales{}},
		{"without project locales, a map", `{"title":{"en":"a"}}`, "fields.title type", value.Locales{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, items := Entry(c, tt.locales, []byte(tt.in), value.FillRequired)
			if got := codes(items); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A plain value would be that of one locale and drop the others, so a write must name locales; what is stored plainly, from
// before the project had locales, stays the default locale's.
func TestPlainValuesOfLocalizedFieldsAreOnlyStored(t *testing.T) {
	c := collection(t, `"text":{"type":"text","localized":true,"maxLength":3},"n":{"type":"number","localized":true},"list":{"type":"list","localized":true,"of":{"type":"text"}},
		"json":{"type":"json","localized":true},"o":{"type":"object","localized":true,"fields":{"a":{"type":"text"}}},"r":{"type":"richText","localized":true}`)
	const rest = "; the locales of the project are en, de"
	for _, tt := range []struct{ in, path, noun string }{
		{`{"text":"a"}`, "fields.text", "a string"},
		{`{"n":0}`, "fields.n", "a number"},
		{`{"list":["a"]}`, "fields.list", "an array"},
		{`{"json":{"k":1}}`, "fields.json", "an object that names none"},
		{`{"json":false}`, "fields.json", "a boolean"},
		{`{"o":{"a":"x"}}`, "fields.o", "an object that names none"},
		{`{"r":{"type":"doc","content":[]}}`, "fields.r", "an object that names none"},
	} {
		_, items := Entry(c, german, []byte(tt.in), value.FillRequired)
		if want := `must be a map of locale to value, such as {"en": …}, not ` + tt.noun + rest; len(items) != 1 || items[0].Path != tt.path || items[0].Message != want {
			t.Errorf("%s: %+v, want %q", tt.in, items, want)
		}
		if items, err := Stored(c, german, []byte(tt.in)); err != nil || len(items) > 0 {
			t.Errorf("stored, %s: %+v, %v", tt.in, items, err)
		}
	}
	if items, err := Stored(c, german, []byte(`{"text":"abcd"}`)); err != nil || codes(items) != "fields.text max_length" {
		t.Errorf("%+v, %v", items, err)
	}
}

// A caller who gives values by locale to a project that has none is told what is missing there; other faults are left as they are.
func TestAMapWithoutProjectLocalesSaysWhatTheProjectLacks(t *testing.T) {
	c := collection(t, `"title":{"type":"text","localized":true},"tags":{"type":"list","localized":true,"of":{"type":"text"}},"o":{"type":"object","localized":true,"fields":{"a":{"type":"text"}}},"r":{"type":"richText","localized":true},"plain":{"type":"text"}`)
	for _, tt := range []struct {
		in, path string
		told     bool
	}{
		{`{"title":{"en":"a"}}`, "fields.title", true},
		{`{"tags":{"en":["a"]}}`, "fields.tags", true},
		{`{"o":{"en":{"a":"x"}}}`, "fields.o.en", true},
		{`{"r":{"en":{"type":"doc","content":[]}}}`, "fields.r.type", true},
		{`{"title":1}`, "fields.title", false},
		{`{"o":{"a":1}}`, "fields.o.a", false},
		{`{"r":{"type":"doc"}}`, "fields.r.content", false},
		{`{"plain":{"en":"a"}}`, "fields.plain", false},
	} {
		_, items := Entry(c, value.Locales{}, []byte(tt.in), value.FillRequired)
		if len(items) != 1 || items[0].Path != tt.path || strings.Contains(items[0].Message, "the project has no locales") != tt.told {
			t.Errorf("%s: %+v", tt.in, items)
		}
	}
	_, items := Entry(c, value.Locales{}, []byte(`{"title":{"en":"a"}}`), value.FillRequired)
	if want := "must be a string, not an object; the project has no locales, so the field takes its value plainly: to give one per locale, " +
		"set locales and defaultLocale with PATCH /v1/projects/:project first"; items[0].Message != want {
		t.Errorf("%q", items[0].Message)
	}
}

// Names that a caller made up are told with nothing hidden in them, and bounded.
func TestNamesInFindingsAreVisibleAndBounded(t *testing.T) {
	c := collection(t, `"title":{"type":"text","localized":true},"sections":{"type":"blocks","allowed":[{"key":"line","fields":{}}]},"r":{"type":"richText"}`)
	const name = `a\u202e\u200b` // as JSON writes it, and as it is told
	for _, in := range []string{
		`{"` + name + `":1}`, `{"title":{"` + name + `":"x"}}`, `{"sections":[{"type":"` + name + `"}]}`,
		`{"sections":[{"type":"line","` + name + `":1}]}`, `{"sections":[{"type":"line","fields":{"` + name + `":1}}]}`,
		`{"r":{"type":"doc","content":[{"type":"x","marks":[{"type":"` + name + `"},{"type":"` + name + `"}]}]}}`,
	} {
		_, items := Entry(c, german, []byte(in), value.FillRequired)
		if len(items) != 1 || !strings.Contains(items[0].Path+items[0].Message, name) {
			t.Errorf("%s: %+v", in, items)
		}
		_, items = Entry(c, german, []byte(strings.ReplaceAll(in, name, strings.Repeat("x", 10_000))), value.FillRequired)
		if len(items) != 1 || len(items[0].Path+items[0].Message) > 300 {
			t.Errorf("%s: %+v", in, items)
		}
	}
}

func TestWrittenValuesAreTakenInStrictly(t *testing.T) {
	c := collection(t, `"title":{"type":"text"},"data":{"type":"json"}`)
	for _, tt := range []struct{ name, in, want string }{
		{"not JSON", `{"title":`, "fields.title syntax"},
		{"no object", `[]`, "fields syntax"},
		{"repeated field", `{"title":"a","title":"b"}`, "fields.title syntax"},
		{"NUL", `{"title":"\u0000"}`, "fields.title syntax"},
		{"101 digits", `{"data":{"n":` + strings.Repeat("1", 101) + `}}`, "fields.data.n syntax"},
		{"unknown fields", `{"titel":"a","other":1}`, "fields.titel unknown_field, fields.other unknown_field"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, items := Entry(c, value.Locales{}, []byte(tt.in), value.FillRequired)
			if got := codes(items); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	_, items := Entry(c, value.Locales{}, []byte(`{"titel":"a"}`), value.FillRequired)
	if !strings.Contains(items[0].Message, "did you mean title?") {
		t.Errorf("message %q names no correction", items[0].Message)
	}
}

func TestStoredForm(t *testing.T) {
	c := collection(t, `"title":{"type":"text","localized":true},"n":{"type":"number"},"kind":{"type":"text","required":true,"default":"x"}`)
	stored, items := Entry(c, german, []byte(`{ "n" : 1.50e+00, "title": {"en":"a\u0062", "de":null} }`), value.FillRequired)
	if want := `{"title":{"en":"ab"},"n":1.50e+00,"kind":"x"}`; string(stored) != want || items != nil {
		t.Errorf("got %s, %v; want %s", stored, items, want)
	}
}

func TestStoredValuesUnderAnotherVersion(t *testing.T) {
	c := collection(t, `"a":{"type":"text","maxLength":1},"s":{"type":"blocks","minItems":1,"allowed":[{"key":"b","fields":{"x":{"type":"text"}}}]}`)
	for _, tt := range []struct{ name, in, want string }{
		{"undeclared fields and blocks are passed over", `{"gone":1,"s":[{"type":"gone","fields":{}},{"type":"b","fields":{"gone":1}}]}`, ""},
		{"undeclared blocks do not count", `{"s":[{"type":"gone","fields":{}}]}`, "fields.s min_items"},
		{"what is declared must fit", `{"a":"xx","s":[{"type":"b","fields":{"x":1}}]}`, "fields.a max_length, fields.s[0].fields.x type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items, err := Stored(c, value.Locales{}, jsontext.Value(tt.in))
			if got := codes(items); got != tt.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if _, err := Stored(c, value.Locales{}, jsontext.Value(`{"a":`)); err == nil {
		t.Error("a damaged value is not noticed")
	}
}

// What a stored value has beyond the schema is found wherever that is, and nothing else is.
func TestUndeclaredValuesAreFound(t *testing.T) {
	c := collection(t, `"a":{"type":"text","maxLength":1,"required":true},"t":{"type":"text","localized":true},
		"o":{"type":"object","fields":{"x":{"type":"text"}}},"j":{"type":"json"},
		"l":{"type":"list","of":{"type":"object","fields":{"x":{"type":"text"}}}},
		"s":{"type":"blocks","minItems":2,"allowed":[{"key":"b","fields":{"x":{"type":"text"}}}]}`)
	for in, want := range map[string]string{
		`{"a":"xx","o":{"x":1},"t":{"xx":"a"},"j":{"any":1},"s":[]}`: "",
		`{"gone":1}`:                           "fields.gone unknown_field",
		`{"gone":{},"no":[],"more":null}`:      "",
		`{"t":{"en":"x"},"o":{"x":"","g":""}}`: "fields.o.g unknown_field",
		`{"l":[{"x":""},{"x":"","g":""}]}`:     "fields.l[1].g unknown_field",
		`{"s":[{"type":"b","fields":{"x":"","g":""}},{"type":"g","fields":{}}]}`: "fields.s[0].fields.g unknown_field, fields.s[1].type unknown_block",
	} {
		if items, err := Undeclared(c, german, jsontext.Value(in), nil); codes(items) != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", in, codes(items), err, want)
		}
	}
	if _, err := Undeclared(c, german, jsontext.Value(`{"a":`), nil); err == nil {
		t.Error("a damaged value is not noticed")
	}
}

// A locale map without a value says as little as null, so the default of a required field takes its place.
func TestAnEmptyLocaleMapGetsTheDefault(t *testing.T) {
	c := collection(t, `"a":{"type":"text","localized":true,"required":true,"default":"x"},"b":{"type":"text","localized":true,"default":"y"}`)
	for _, in := range []string{`{"a":{},"b":{}}`, `{"a":{"en":null,"de":null},"b":{"de":null}}`, `{"a":null,"b":null}`} {
		stored, items := Entry(c, german, []byte(in), value.FillRequired)
		if want := `{"a":{"en":"x"}}`; string(stored) != want || items != nil {
			t.Errorf("%s: got %s, %v; want %s", in, stored, items, want)
		}
		made, err := applyDefaults(c, german, []byte(in))
		if want := `{"a":{"en":"x"}}`; err != nil || string(made) != want {
			t.Errorf("%s at creation: got %s, %v; want %s", in, made, err, want)
		}
	}
}

// applyDefaults returns the stored form of a new entry.
func applyDefaults(c *schema.Collection, locales value.Locales, fields []byte) (jsontext.Value, error) {
	compact, err := value.ParseObject(fields, "fields")
	if err != nil {
		return nil, err
	}
	return value.Canonical(c, locales, compact, value.FillAll)
}

func TestApplyDefaults(t *testing.T) {
	c := collection(t, `"a":{"type":"text","default":"x","localized":true},"b":{"type":"number","default":1},"c":{"type":"text"}`)
	got, err := applyDefaults(c, german, []byte(`{"c":"y","b":null}`))
	if want := `{"a":{"en":"x"},"c":"y"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := applyDefaults(c, german, []byte(`{`)); !fault.Is(err, fault.ValidationFailed) {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	in := `{"l":[` + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + `]}`
	_, items := Entry(collection(t, `"l":{"type":"list","of":{"type":"text"}}`), value.Locales{}, []byte(in), value.FillRequired)
	last := items[len(items)-1]
	if len(items) != maxItems+1 || last.Code != "too_many" || !strings.Contains(last.Message, "800") {
		t.Errorf("%d items, the last %+v", len(items), last)
	}
}

// However many names no one knows a caller sends, and however long they are, the answer is quick and short.
func TestUnknownNamesCostLittle(t *testing.T) {
	var many strings.Builder
	for n := range 200_000 {
		fmt.Fprintf(&many, `"field%d":1,`, n)
	}
	fields := make([]string, 200)
	for n := range fields {
		fields[n] = fmt.Sprintf(`"some_field_%d":{"type":"text"}`, n)
	}
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	c := collection(t, strings.Join(fields, ",")+`,"loc":{"type":"text","localized":true},"prose":{"type":"richText"},"s":{"type":"blocks","allowed":[{"key":"b","fields":{}}]}`)
	for _, in := range []string{
		`{` + many.String() + `"z":1}`, `{` + long + `:1}`, `{"loc":{` + long + `:"x"}}`, `{"s":[{"type":` + long + `},{"type":"b",` + long + `:1}]}`,
		`{"prose":{"type":"doc","content":[{"type":"text","text":"a","marks":[{"type":` + long + `},{"type":` + long + `}]}]}}`,
	} {
		_, items := Entry(c, german, []byte(in), value.FillRequired)
		size := 0
		for _, item := range items {
			size += len(item.Path) + len(item.Message)
		}
		if len(items) == 0 || size > 100_000 {
			t.Errorf("%.40s…: %d findings in %d bytes", in, len(items), size)
		}
	}
}

// The codes are part of the wire format.
func TestCodesStay(t *testing.T) {
	want := `syntax type required unknown_option unknown_field unknown_type unknown_block unknown_locale unknown_target duplicate key not_allowed too_deep too_many empty range min max integer min_length max_length min_items max_items pattern enum date datetime slug reference asset rich_text policy_violation`
	var got []string
	for _, code := range schema.Codes() {
		got = append(got, string(code))
	}
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
}
