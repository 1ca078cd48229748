package schema

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc/shared/fault"
)

// full uses every field type and every option once.
const full = `{
	"name": "posts", "label": "Posts", "kind": "collection", "visibility": "public", "titleField": "title",
	"path": "/blog/{slug}", "guidance": "Be brief.",
	"policy": [{"rule": "length", "field": "title", "min": 3, "max": 60, "words": true, "reason": "fits the card"},
		{"rule": "required", "fields": ["body"]}, {"rule": "bannedTerms", "terms": ["foo"], "fields": ["body"]},
		{"rule": "altText", "reason": "readers who listen"}],
	"fields": {
		"title": {"type": "text", "label": "Title", "description": "The headline", "required": true, "localized": true,
			"ui": {"widget": "line", "placeholder": "…", "helpText": "short", "group": "main", "hidden": true},
			"multiline": true, "minLength": 2, "maxLength": 80, "pattern": "^[A-Z]", "enum": ["One", "Two"], "default": "One"},
		"slug": {"type": "slug", "required": true, "from": "body"},
		"rating": {"type": "number", "integer": true, "min": 1, "max": 5, "default": 3},
		"shown": {"type": "boolean", "default": false},
		"day": {"type": "date", "min": "2020-01-01", "max": "2030-12-31", "default": "2025-02-28"},
		"at": {"type": "datetime", "min": "2020-01-01T00:00:00Z", "max": "2030-01-01T00:00:00+01:00", "default": "2025-01-01T00:00:00+02:00"},
		"body": {"type": "markdown", "minLength": 1, "maxLength": 9000, "default": "x"},
		"data": {"type": "json", "default": {"b": 1, "a": [1.50, null]}},
		"cover": {"type": "asset", "allowed": ["image/*", "application/pdf"], "multiple": true},
		"author": {"type": "reference", "to": "authors", "multiple": true},
		"tags": {"type": "list", "of": {"type": "text", "minLength": 1, "maxLength": 9, "pattern": "x", "enum": ["x"]}, "minItems": 1, "maxItems": 8},
		"seo": {"type": "object", "fields": {"description": {"type": "text", "required": true, "label": "D"}}},
		"prose": {"type": "richText"},
		"sections": {"type": "blocks", "allowed": [{"key": "quote", "label": "Quote", "fields": {"text": {"type": "markdown"}}}], "minItems": 1, "maxItems": 3}
	}}`

func TestParseReadsEveryOption(t *testing.T) {
	c, err := Parse([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range c.Fields {
		keys = append(keys, f.Key)
	}
	if got, want := strings.Join(keys, " "), "title slug rating shown day at body data cover author tags seo prose sections"; got != want {
		t.Errorf("fields in order %q, want %q", got, want)
	}
	title := c.Field("title")
	if !title.Required || !title.Localized || !title.Multiline || *title.MinLength != 2 || *title.MaxLength != 80 ||
		title.Pattern != "^[A-Z]" || len(title.Enum) != 2 || string(title.Default) != `"One"` || title.UI.HelpText != "short" {
		t.Errorf("title read as %+v", title)
	}
	if !c.HasSlug() || !c.SlugRequired() || c.SlugSource() != "body" {
		t.Errorf("slug: has %v, required %v, source %q", c.HasSlug(), c.SlugRequired(), c.SlugSource())
	}
	if got := c.Field("at").Max; got != "2029-12-31T23:00:00Z" {
		t.Errorf("a datetime bound is kept in UTC: got %q", got)
	}
	again, err := Parse(c.Canonical())
	if err != nil {
		t.Fatalf("canonical form: %v", err)
	}
	if diff := cmp.Diff(string(c.Canonical()), string(again.Canonical())); diff != "" {
		t.Error(diff)
	}
}

// refusals are fields or collections with one fault each: where it is and its code.
var refusals = []struct{ name, file, path, code string }{
	{"not JSON", `{"name": `, "", "syntax"},
	{"two values", `{"name":"a","fields":{}} 1`, "", "syntax"},
	{"invalid UTF-8", "{\"name\":\"\xff\",\"fields\":{}}", "", "syntax"},
	{"lone surrogate", `{"name":"a","label":"\ud800","fields":{}}`, "", "syntax"},
	{"nested too deep for JSON", `{"name":"a","fields":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "", "syntax"},
	{"NUL in a string", `{"name":"a","label":"\u0000","fields":{}}`, "label", "type"},
	{"a number of 101 digits", field(`{"type":"json","default":1` + strings.Repeat("0", 100) + `}`), "fields.f.default", "type"},
	{"an exponent of 1001", field(`{"type":"json","default":[1e1001]}`), "fields.f.default[0]", "type"},
	{"no object", `[]`, "", "type"},
	{"no name", `{"fields":{}}`, "name", "required"},
	{"empty name", `{"name":"","fields":{}}`, "name", "required"},
	{"name with a capital", `{"name":"Posts","fields":{}}`, "name", "key"},
	{"name with a digit first", `{"name":"1posts","fields":{}}`, "name", "key"},
	{"name too long", `{"name":"` + strings.Repeat("a", 65) + `","fields":{}}`, "name", "key"},
	{"no fields", `{"name":"a"}`, "fields", "required"},
	{"fields as an array", `{"name":"a","fields":[]}`, "fields", "type"},
	{"unknown option of a collection", `{"name":"a","fields":{},"slug":"title"}`, "slug", "unknown_option"},
	{"duplicate option", `{"name":"a","name":"a","fields":{}}`, "name", "duplicate"},
	{"duplicate field", `{"name":"a","fields":{"f":{"type":"text"},"f":{"type":"text"}}}`, "fields.f", "duplicate"},
	{"unknown kind", `{"name":"a","kind":"single","fields":{}}`, "kind", "unknown_type"},
	{"unknown visibility", `{"name":"a","visibility":"open","fields":{}}`, "visibility", "unknown_type"},
	{"dangling title field", `{"name":"a","titleField":"t","fields":{}}`, "titleField", "unknown_field"},
	{"path without a slash", `{"name":"a","path":"blog/{slug}","fields":{}}`, "path", "pattern"},
	{"path naming an unknown field", `{"name":"a","path":"/{year}/{slug}","fields":{}}`, "path", "unknown_field"},
	{"path with an open brace", `{"name":"a","path":"/{slug","fields":{}}`, "path", "pattern"},
	{"path of a singleton with a slug", `{"name":"a","kind":"singleton","path":"/{slug}","fields":{}}`, "path", "not_allowed"},
	{"two slugs", `{"name":"a","fields":{"s":{"type":"slug"},"t":{"type":"slug"}}}`, "fields.t", "duplicate"},
	{"a slug on a singleton", `{"name":"a","kind":"singleton","fields":{"s":{"type":"slug"}}}`, "fields.s", "not_allowed"},
	{"slug from an unknown field", `{"name":"a","fields":{"s":{"type":"slug","from":"t"}}}`, "fields.s.from", "unknown_field"},
	{"localized slug", `{"name":"a","fields":{"s":{"type":"slug","localized":true}}}`, "fields.s.localized", "not_allowed"},
	{"bad field key", `{"name":"a","fields":{"a-b":{"type":"text"}}}`, "fields.a-b", "key"},
	{"field key with a digit first", `{"name":"a","fields":{"1a":{"type":"text"}}}`, "fields.1a", "key"},
	{"field without a type", field(`{}`), "fields.f.type", "required"},
	{"unknown field type", field(`{"type":"string"}`), "fields.f.type", "unknown_type"},
	{"unknown option of a field", field(`{"type":"text","maxLenght":80}`), "fields.f.maxLenght", "unknown_option"},
	{"option of another type", field(`{"type":"number","maxLength":80}`), "fields.f.maxLength", "unknown_option"},
	{"unknown ui option", field(`{"type":"text","ui":{"icon":"x"}}`), "fields.f.ui.icon", "unknown_option"},
	{"option of another JSON type", field(`{"type":"text","required":"yes"}`), "fields.f.required", "type"},
	{"negative length", field(`{"type":"text","maxLength":-1}`), "fields.f.maxLength", "range"},
	{"broken length", field(`{"type":"text","maxLength":1.5}`), "fields.f.maxLength", "range"},
	{"minLength above maxLength", field(`{"type":"text","minLength":3,"maxLength":2}`), "fields.f.minLength", "range"},
	{"min above max", field(`{"type":"number","min":1.01,"max":1.001}`), "fields.f.min", "range"},
	{"min date after max", field(`{"type":"date","min":"2020-01-02","max":"2020-01-01"}`), "fields.f.min", "range"},
	{"min datetime after max", field(`{"type":"datetime","min":"2020-01-01T00:00:00Z","max":"2020-01-01T00:30:00+01:00"}`), "fields.f.min", "range"},
	{"min date not in the calendar", field(`{"type":"date","min":"2023-02-29"}`), "fields.f.min", "date"},
	{"max datetime without an offset", field(`{"type":"datetime","max":"2023-02-28T00:00:00"}`), "fields.f.max", "datetime"},
	{"minItems above maxItems", field(`{"type":"list","of":{"type":"json"},"minItems":3,"maxItems":2}`), "fields.f.minItems", "range"},
	{"max datetime in the year 10000 in UTC", field(`{"type":"datetime","max":"9999-12-31T23:59:59-01:00"}`), "fields.f.max", "datetime"},
	{"min datetime before the year 0 in UTC", field(`{"type":"datetime","min":"0000-01-01T00:00:00+01:00"}`), "fields.f.min", "datetime"},
	{"default datetime in the year 10000 in UTC", field(`{"type":"datetime","default":"9999-12-31T23:59:59-01:00"}`), "fields.f.default", "datetime"},
	{"look-behind", field(`{"type":"text","pattern":"(?<=a)b"}`), "fields.f.pattern", "pattern"},
	{"possessive repetition", field(`{"type":"text","pattern":"a++"}`), "fields.f.pattern", "pattern"},
	{"repetition over 1000", field(`{"type":"text","pattern":"a{1001}"}`), "fields.f.pattern", "pattern"},
	{"open group", field(`{"type":"text","pattern":"(a"}`), "fields.f.pattern", "pattern"},
	{"look-ahead in a list's items", field(`{"type":"list","of":{"type":"text","pattern":"a(?!b)"}}`), "fields.f.of.pattern", "pattern"},
	{"look-ahead", field(`{"type":"text","pattern":"a(?=b)"}`), "fields.f.pattern", "pattern"},
	{"back-reference", field(`{"type":"text","pattern":"(a)\\1"}`), "fields.f.pattern", "pattern"},
	{"pattern that expands", field(`{"type":"text","pattern":"(abcdefghijklmnopqrstuvwxyz){1000}"}`), "fields.f.pattern", "pattern"},
	{"empty enum", field(`{"type":"text","enum":[]}`), "fields.f.enum", "empty"},
	{"repeated enum member", field(`{"type":"text","enum":["a","a"]}`), "fields.f.enum[1]", "duplicate"},
	{"enum member of another type", field(`{"type":"text","enum":["a",1]}`), "fields.f.enum[1]", "type"},
	{"default outside its enum", field(`{"type":"text","enum":["a"],"default":"b"}`), "fields.f.default", "enum"},
	{"default too long", field(`{"type":"text","maxLength":2,"default":"éèê"}`), "fields.f.default", "max_length"},
	{"default too short", field(`{"type":"markdown","minLength":2,"default":"é"}`), "fields.f.default", "min_length"},
	{"default beside its pattern", field(`{"type":"text","pattern":"^a","default":"b"}`), "fields.f.default", "pattern"},
	{"default above max", field(`{"type":"number","max":0.1,"default":0.10000000000000000001}`), "fields.f.default", "max"},
	{"default below min", field(`{"type":"number","min":1,"default":0}`), "fields.f.default", "min"},
	{"default with a fraction", field(`{"type":"number","integer":true,"default":1.5}`), "fields.f.default", "integer"},
	{"default date before min", field(`{"type":"date","min":"2020-01-02","default":"2020-01-01"}`), "fields.f.default", "min"},
	{"default datetime after max", field(`{"type":"datetime","max":"2020-01-01T00:00:00Z","default":"2020-01-01T00:00:00-01:00"}`), "fields.f.default", "max"},
	{"default of another type", field(`{"type":"boolean","default":"true"}`), "fields.f.default", "type"},
	{"null as a default", field(`{"type":"text","default":null}`), "fields.f.default", "type"},
	{"default on a list", field(`{"type":"list","of":{"type":"text"},"default":[]}`), "fields.f.default", "unknown_option"},
	{"empty allowed of an asset", field(`{"type":"asset","allowed":[]}`), "fields.f.allowed", "empty"},
	{"bad MIME family", field(`{"type":"asset","allowed":["image/*","text/*","image"]}`), "fields.f.allowed[2]", "pattern"},
	{"MIME family of another type", field(`{"type":"asset","allowed":["image/*",1]}`), "fields.f.allowed[1]", "type"},
	{"empty MIME family", field(`{"type":"asset","allowed":["image/*",""]}`), "fields.f.allowed[1]", "empty"},
	{"bad MIME family of a list's items", field(`{"type":"list","of":{"type":"asset","allowed":["image/*","b"]}}`), "fields.f.of.allowed[1]", "pattern"},
	{"bad MIME wildcard", field(`{"type":"asset","allowed":["*/png"]}`), "fields.f.allowed[0]", "pattern"},
	{"reference without a target", field(`{"type":"reference"}`), "fields.f.to", "required"},
	{"list without items", field(`{"type":"list"}`), "fields.f.of", "required"},
	{"list in a list", field(`{"type":"list","of":{"type":"list","of":{"type":"text"}}}`), "fields.f.of.type", "not_allowed"},
	{"slug in a list", field(`{"type":"list","of":{"type":"slug"}}`), "fields.f.of.type", "not_allowed"},
	{"blocks in a list", field(`{"type":"list","of":{"type":"blocks","allowed":[]}}`), "fields.f.of.type", "not_allowed"},
	{"required list items", field(`{"type":"list","of":{"type":"text","required":true}}`), "fields.f.of.required", "unknown_option"},
	{"default of list items", field(`{"type":"list","of":{"type":"text","default":"a"}}`), "fields.f.of.default", "unknown_option"},
	{"multiple list items", field(`{"type":"list","of":{"type":"reference","to":"a","multiple":true}}`), "fields.f.of.multiple", "unknown_option"},
	{"object without fields", field(`{"type":"object"}`), "fields.f.fields", "required"},
	{"localized nested field", field(`{"type":"object","fields":{"a":{"type":"text","localized":true}}}`), "fields.f.fields.a.localized", "not_allowed"},
	{"nested slug", field(`{"type":"object","fields":{"a":{"type":"slug"}}}`), "fields.f.fields.a.type", "not_allowed"},
	{"objects five deep", field(nest(`{"type":"object","fields":{"f":`, 5)), "fields.f.fields.f.fields.f.fields.f.fields.f", "too_deep"},
	{"lists of objects five deep", field(nest(`{"type":"list","of":{"type":"object","fields":{"f":`, 5)), "fields.f.of.fields.f.of.fields.f.of.fields.f.of.fields.f.of", "too_deep"},
	{"blocks five deep", field(strings.Repeat(openBlock, 4) + `{"type":"blocks","allowed":[{"key":"b","fields":{}}]}` + strings.Repeat(closeBlock, 4)),
		"fields.f" + strings.Repeat(".allowed[0].fields.f", 4), "too_deep"},
	{"blocks five deep with objects between them", field(strings.Repeat(openBlock+openObject, 4) + `{"type":"blocks","allowed":[{"key":"b","fields":{}}]}` + strings.Repeat("}}"+closeBlock, 4)),
		"fields.f" + strings.Repeat(".allowed[0].fields.f.fields.f", 4), "too_deep"},
	{"objects five deep with blocks between them", field(strings.Repeat(openObject+openBlock, 4) + `{"type":"object","fields":{}}` + strings.Repeat(closeBlock+"}}", 4)),
		"fields.f" + strings.Repeat(".fields.f.allowed[0].fields.f", 4), "too_deep"},
	{"a list of objects five deep with blocks between them", field(strings.Repeat(openList+openBlock, 4) + `{"type":"list","of":{"type":"object","fields":{}}}` + strings.Repeat(closeBlock+"}}}", 4)),
		"fields.f" + strings.Repeat(".of.fields.f.allowed[0].fields.f", 4) + ".of", "too_deep"},
	{"blocks without allowed", field(`{"type":"blocks"}`), "fields.f.allowed", "required"},
	{"blocks with an empty allowed", field(`{"type":"blocks","allowed":[]}`), "fields.f.allowed", "empty"},
	{"block without a key", field(`{"type":"blocks","allowed":[{"fields":{}}]}`), "fields.f.allowed[0].key", "required"},
	{"block with a bad key", field(`{"type":"blocks","allowed":[{"key":"a b","fields":{}}]}`), "fields.f.allowed[0].key", "key"},
	{"block without fields", field(`{"type":"blocks","allowed":[{"key":"a"}]}`), "fields.f.allowed[0].fields", "required"},
	{"two blocks with one key", field(`{"type":"blocks","allowed":[{"key":"a","fields":{}},{"key":"a","fields":{}}]}`), "fields.f.allowed[1].key", "duplicate"},
	{"unknown option of a block", field(`{"type":"blocks","allowed":[{"key":"a","fields":{},"icon":"x"}]}`), "fields.f.allowed[0].icon", "unknown_option"},
	{"unknown policy rule", policy(`{"rule":"spelling"}`), "policy[0].rule", "unknown_type"},
	{"length of an undeclared field", policy(`{"rule":"length","field":"x","max":1}`), "policy[0].field", "unknown_field"},
	{"length without bounds", policy(`{"rule":"length","field":"f"}`), "policy[0]", "required"},
	{"length with min above max", policy(`{"rule":"length","field":"f","min":2,"max":1}`), "policy[0].min", "range"},
	{"required naming an undeclared field", policy(`{"rule":"required","fields":["f","x"]}`), "policy[0].fields[1]", "unknown_field"},
	{"required without fields", policy(`{"rule":"required"}`), "policy[0].fields", "required"},
	{"bannedTerms without terms", policy(`{"rule":"bannedTerms"}`), "policy[0].terms", "required"},
	{"bannedTerms naming an undeclared field", policy(`{"rule":"bannedTerms","terms":["a"],"fields":["x"]}`), "policy[0].fields[0]", "unknown_field"},
	{"bannedTerms with a blank term", policy(`{"rule":"bannedTerms","terms":["a"," \t"]}`), "policy[0].terms[1]", "empty"},
	{"bannedTerms with an empty term", policy(`{"rule":"bannedTerms","terms":[""]}`), "policy[0].terms[0]", "empty"},
	{"bannedTerms with a term twice", policy(`{"rule":"bannedTerms","terms":["a","a"]}`), "policy[0].terms[1]", "duplicate"},
	{"bannedTerms with no terms", policy(`{"rule":"bannedTerms","terms":[]}`), "policy[0].terms", "empty"},
	{"bannedTerms with terms of another type", policy(`{"rule":"bannedTerms","terms":"a"}`), "policy[0].terms", "type"},
	{"bannedTerms in no fields", policy(`{"rule":"bannedTerms","terms":["a"],"fields":[]}`), "policy[0].fields", "empty"},
	{"required with no fields", policy(`{"rule":"required","fields":[]}`), "policy[0].fields", "empty"},
	{"required with a field twice", policy(`{"rule":"required","fields":["f","f"]}`), "policy[0].fields[1]", "duplicate"},
	{"required with a nested field", `{"name":"a","policy":[{"rule":"required","fields":["o.f"]}],"fields":{"o":{"type":"object","fields":{"f":{"type":"text"}}}}}`, "policy[0].fields[0]", "unknown_field"},
	{"length without a field", policy(`{"rule":"length","max":1}`), "policy[0].field", "required"},
	{"length with a negative bound", policy(`{"rule":"length","field":"f","max":-1}`), "policy[0].max", "range"},
	{"length with words that is no flag", policy(`{"rule":"length","field":"f","max":1,"words":1}`), "policy[0].words", "type"},
	{"length of what has no text", `{"name":"a","policy":[{"rule":"length","field":"n","max":1}],"fields":{"n":{"type":"number"}}}`, "policy[0].field", "not_allowed"},
	{"reason of another type", policy(`{"rule":"altText","reason":1}`), "policy[0].reason", "type"},
	{"a rule that is no object", policy(`"altText"`), "policy[0]", "type"},
	{"policy that is no array", `{"name":"a","policy":{"rule":"altText"},"fields":{}}`, "policy", "type"},
	{"too many terms", policy(`{"rule":"bannedTerms","terms":[` + strings.Repeat(`"a",`, MaxTerms) + `"b"]}`), "policy[0].terms", "too_many"},
	{"too many rules", policy(strings.Repeat(`{"rule":"altText"},`, MaxRules) + `{"rule":"altText"}`), "policy", "too_many"},
	{"option of another rule", policy(`{"rule":"altText","field":"f"}`), "policy[0].field", "unknown_option"},
}

// What nests: a field follows, then the braces.
const (
	openObject = `{"type":"object","fields":{"f":`
	openList   = `{"type":"list","of":{"type":"object","fields":{"f":`
	openBlock  = `{"type":"blocks","allowed":[{"key":"b","fields":{"f":`
	closeBlock = `}}]}`
)

func field(def string) string { return `{"name":"a","fields":{"f":` + def + `}}` }
func policy(rule string) string {
	return `{"name":"a","policy":[` + rule + `],"fields":{"f":{"type":"text"}}}`
}

// nest repeats open, puts a text field inside and closes every brace.
func nest(open string, n int) string {
	all := strings.Repeat(open, n)
	return all + `{"type":"text"}` + strings.Repeat("}", strings.Count(all, "{"))
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.file))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.ValidationFailed {
				t.Fatalf("got %v, want a validation fault", err)
			}
			if len(f.Items) != 1 || f.Items[0].Path != tt.path || f.Items[0].Code != tt.code {
				t.Errorf("got %+v, want one %s at %q", f.Items, tt.code, tt.path)
			}
		})
	}
}

func TestParseAcceptsTheDeepestNesting(t *testing.T) {
	const text = `{"type":"text"}`
	for name, def := range map[string]string{
		"objects":                   nest(openObject, 4),
		"lists of objects":          nest(openList, 4),
		"blocks":                    strings.Repeat(openBlock, 4) + text + strings.Repeat(closeBlock, 4),
		"objects below blocks":      strings.Repeat(openBlock, 4) + nest(openObject, 4) + strings.Repeat(closeBlock, 4),
		"blocks below objects":      strings.Repeat(openObject, 4) + strings.Repeat(openBlock, 4) + text + strings.Repeat(closeBlock, 4) + strings.Repeat("}}", 4),
		"lists and blocks in turns": strings.Repeat(openList+openBlock, 4) + text + strings.Repeat(closeBlock+"}}}", 4),
		"a list of text at the end": strings.Repeat(openObject, 4) + `{"type":"list","of":{"type":"text"}}` + strings.Repeat("}}", 4),
	} {
		if _, err := Parse([]byte(field(def))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseReportsEveryFaultAtOnce(t *testing.T) {
	_, err := Parse([]byte(`{"name":"A","titleField":"x","fields":{"a-b":{"type":"txt"},"c":{"type":"text","maxLenght":1}}}`))
	f := fault.As(err)
	var got []string
	for _, item := range f.Items {
		got = append(got, item.Path+" "+item.Code)
	}
	want := []string{"name key", "fields.a-b key", "fields.a-b.type unknown_type", "fields.c.maxLenght unknown_option", "titleField unknown_field"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if last := f.Items[3].Message; !strings.Contains(last, "did you mean maxLength?") {
		t.Errorf("message %q names no correction", last)
	}
}

// A pattern that RE2 lacks is refused with the reason.
func TestPatternsAreRefusedWithTheReason(t *testing.T) {
	for pattern, reason := range map[string]string{
		`a(?=b)`: "(?=", `a(?!b)`: "(?!", `(?<=a)b`: "(?<", `(a)\\1`: `\1`, `(?>a)`: "(?>", `a{1001}`: "{1001}", `[z-a]`: "z-a", `(a`: "missing closing )",
		`(abcdefghijklmnopqrstuvwxyz){1000}`: "20000 steps", `\\pX`: `\pX`,
	} {
		_, err := Parse([]byte(field(`{"type":"text","pattern":"` + pattern + `"}`)))
		if err == nil || !strings.Contains(fault.As(err).Items[0].Message, reason) {
			t.Errorf("%s: %v, want the reason %q", pattern, err, reason)
		}
	}
}

// A long key costs its length once, not once for everything below it.
func TestLongKeysDoNotMakeLongReports(t *testing.T) {
	file := `{"name":"a","fields":{"` + strings.Repeat("k", 500_000) + `":{"type":"text",` + strings.TrimSuffix(strings.Repeat(`"x":1,`, 50_000), ",") + `}}}`
	_, err := Parse([]byte(file))
	size := 0
	for _, item := range fault.As(err).Items {
		size += len(item.Path) + len(item.Message)
	}
	if err == nil || size > 100_000 {
		t.Errorf("the report takes %d bytes: %.200v", size, err)
	}
}

func TestASetReportsTheFaultsOfEveryFile(t *testing.T) {
	_, err := ParseSet([]jsontext.Value{
		jsontext.Value(`{`), jsontext.Value(`{"name":"b","fields":{"f":{"type":"txt"},"r":{"type":"reference","to":"none"}}}`), jsontext.Value(`{"name":"c"}`),
	})
	var got []string
	for _, item := range fault.As(err).Items {
		got = append(got, item.Path+" "+item.Code)
	}
	want := []string{"collections[0] syntax", "collections[1].fields.f.type unknown_type", "collections[2].fields required", "collections[1].fields.r.to unknown_target"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseBoundsItsReport(t *testing.T) {
	file := field(`{"type":"text","enum":[` + strings.TrimSuffix(strings.Repeat(`1,`, 5000), ",") + `]}`)
	_, err := Parse([]byte(file))
	if f := fault.As(err); len(f.Items) != maxFaults || !strings.Contains(f.Detail, "5000 faults") {
		t.Errorf("%d items, detail %q", len(f.Items), f.Detail)
	}
}

// unfillable is a collection with a field of these options. Parse reads it all the same: it may have been deployed.
func unfillable(options string) jsontext.Value { return jsontext.Value(field("{" + options + "}")) }

// largePatterns is a collection with fields f0, f1 and so on, whose patterns take about 18,000 steps each.
func largePatterns(n int) jsontext.Value {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = `"f` + strconv.Itoa(i) + `":{"type":"text","pattern":"(abcdefghijklmnopq){1000}"}`
	}
	return jsontext.Value(`{"name":"a","fields":{` + strings.Join(fields, ",") + `}}`)
}

func TestWhatOnlyASetIsRefusedForCanBeReadAgain(t *testing.T) {
	for _, file := range []jsontext.Value{
		unfillable(`"type":"text","enum":["abc"],"maxLength":2`), unfillable(`"type":"number","integer":true,"min":0.2,"max":0.8`), largePatterns(12),
	} {
		if _, err := Parse(file); err != nil {
			t.Errorf("%.200s: %v", file, err)
		}
	}
}

func TestWhatSomeValueFitsIsProposedInGoodFaith(t *testing.T) {
	for _, options := range []string{
		`"type":"text","enum":["abc","ab"],"maxLength":2`, `"type":"number","integer":true,"min":0.2,"max":1`, `"type":"number","integer":true,"min":-0.5,"max":0.5`,
		`"type":"number","integer":true,"min":-1.5,"max":-1.0`, `"type":"number","integer":true,"min":1e1000,"max":1e1000`, `"type":"number","min":0.2,"max":0.8`,
	} {
		if _, err := ParseSet([]jsontext.Value{unfillable(options)}); err != nil {
			t.Errorf("%s: %v", options, err)
		}
	}
}

func TestParseSet(t *testing.T) {
	posts := jsontext.Value(`{"name":"posts","fields":{"o":{"type":"object","fields":{"r":{"type":"list","of":{"type":"reference","to":"authors"}}}}}}`)
	authors := jsontext.Value(`{"name":"authors","fields":{"self":{"type":"reference","to":"authors"}}}`)
	if set, err := ParseSet([]jsontext.Value{posts, authors}); err != nil || len(set) != 2 || set[0].Name != "posts" {
		t.Fatalf("got %v, %v", set, err)
	}
	for _, tt := range []struct {
		name, path, code string
		set              []jsontext.Value
	}{
		{"dangling reference", "collections[0].fields.o.fields.r.of.to", "unknown_target", []jsontext.Value{posts}},
		{"two of one name", "collections[1].name", "duplicate", []jsontext.Value{authors, authors}},
		{"fault inside", "collections[1].fields", "required", []jsontext.Value{authors, jsontext.Value(`{"name":"x"}`)}},
		{"an enum whose members are all too long", "collections[0].fields.f.enum", "range", []jsontext.Value{unfillable(`"type":"text","enum":["abc","abcd"],"maxLength":2`)}},
		{"an enum that the pattern excludes", "collections[0].fields.f.enum", "range", []jsontext.Value{unfillable(`"type":"text","enum":["abc"],"pattern":"^[0-9]"`)}},
		{"an enum of items that excludes itself", "collections[0].fields.f.of.enum", "range", []jsontext.Value{unfillable(`"type":"list","of":{"type":"text","enum":["a"],"minLength":2}`)}},
		{"patterns that are too large together", "collections[0].fields.f10.pattern", "too_many", []jsontext.Value{largePatterns(11)}},
		{"not JSON", "collections[1]", "syntax", []jsontext.Value{authors, jsontext.Value(`{`)}},
		{"no object", "collections[0]", "type", []jsontext.Value{jsontext.Value(`[]`), authors}},
		{"dangling reference in a block", "collections[0].fields.s.allowed[0].fields.r.to", "unknown_target", []jsontext.Value{
			jsontext.Value(`{"name":"a","fields":{"s":{"type":"blocks","allowed":[{"key":"b","fields":{"r":{"type":"reference","to":"x"}}}]}}}`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseSet(tt.set)
			if f := fault.As(err); f == nil || len(f.Items) != 1 || f.Items[0].Path != tt.path || f.Items[0].Code != tt.code {
				t.Errorf("got %+v, want %s at %s", f, tt.code, tt.path)
			}
		})
	}
}
