package dsl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"svc/shared/schema"
)

// The examples that tsc accepts load, and those that are written in JSON elsewhere mean the same.
func TestExamplesLoad(t *testing.T) {
	t.Parallel()
	set, err := Load(t.Context(), "testdata/good", Options{})
	if err != nil || len(set.Warnings) > 0 {
		t.Fatalf("%v, warnings %v", err, set.Warnings)
	}
	var names []string
	for _, c := range set.Collections {
		names = append(names, c.Name)
		if (c.Line == 0 || c.Column == 0) && c.Name != "plain" { // which no builder made
			t.Errorf("%s: nothing tells where it is declared", c.Name)
		}
	}
	want := []string{"authors", "banner", "counted", "footer", "home", "measures", "notes", "plain", "posts", "things"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	for name, golden := range map[string]string{"posts": "every_option", "home": "home", "notes": "minimal"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "golden", golden+".json"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(set.Collections, func(d Declared) bool { return d.Name == name })
		if got, want := string(set.Collections[i].Canonical()), string(c.Canonical()); got != want {
			t.Errorf("%s is\n%s, want\n%s", name, got, want)
		}
	}
}

// What a builder refuses by itself, because its JSON would not show it, and what it says.
var refusals = []struct{ call, want string }{
	{`text("Title")`, `text() takes its options as a plain object, such as text({ maxLength: 80 }), not a string`},
	{`text(null)`, `text() takes its options as a plain object, such as text({ maxLength: 80 }), not null`},
	{`text(new Map())`, `not an object of a class, or with another prototype`},
	{`text({ __proto__: { label: "x" } })`, `not an object of a class, or with another prototype`},
	{`text({}, {})`, `text() takes one argument at most, such as text({ maxLength: 80 }), not 2`},
	{`text({ type: "number" })`, `text() has no option type: the builder itself says what it is`},
	{`text({ [Symbol.iterator]: 1 })`, `text(): the key of an option is a string, not a symbol`},
	{`text(text())`, `text() takes its options as a plain object, such as text({ maxLength: 80 }), not a field that is built already`},
	{`reference("authors")`, `such as reference({ to: "authors" }), not a string`},
	{`collection([text()])`, `such as collection({ name: "posts", fields: { title: text() } }), not an array`},
	{`singleton({ name: "a", kind: "collection", fields: {} })`, `singleton() has no option kind: the builder itself says what it is`},
	{`list(item.text())`, `list() takes its options as a plain object, such as list({ of: item.text() }), not the items of a list that is built already`},
	{`list({ of: text() })`, `list(): of takes the items of a list, built with item.text(), not a field, built with text()`},
	{`list({ of: list({ of: item.text() }) })`, `list(): a list cannot hold lists; put an object around the inner one`},
	{`item.list({ of: item.text() })`, `list(): a list cannot hold lists; put an object around the inner one`},
	{`item.slug()`, `list(): a list cannot hold slugs, which stand at the top level of a collection`},
	{`item.blocks()`, `list(): a list cannot hold blocks itself; put an object around it`},
	{`list({ of: richText() })`, `list(): a list cannot hold richText itself; put an object around it`},
	{`list({ of: "text" })`, `list(): of takes the items of a list, as in list({ of: item.text() }), not a string`},
	{`list({ of: block({}) })`, `not a block`},
	{`object({ title: text() })`, `object() takes its fields under the option "fields", as in object({ fields: { title: text() } }), but title stands beside`},
	{`object({ fields: [text()] })`, `object(): fields takes a plain object of fields by key, as in object({ fields: { title: text() } }), not an array`},
	{`object({ fields: { a: item.number() } })`, `object(): fields.a is built with item.number(), which is for the items of a list; a field is built with number()`},
	{`collection({ fields: { a: text } })`, `collection(): fields.a must be a field, such as text() or list({ of: item.text() }), not the builder itself; call it: text()`},
	{`block({ key: "a", fields: { a: undefined } })`, `block(): fields.a must be a field, such as text() or list({ of: item.text() }), not undefined`},
	{`object({ fields: { a: block({}) } })`, `fields.a must be a field, such as text() or list({ of: item.text() }), not a block`},
	{`blocks({ allowed: block({}) })`, `blocks(): allowed takes an array, as in allowed: [block({ key: "quote", fields: { text: markdown() } })], not a block`},
	{`blocks({ allowed: [block({}), text()] })`, `blocks(): allowed[1] must be a block`},
	{`collection({ policy: [text()], fields: {} })`, `collection(): policy[0] must be a policy rule, as in rule.length("title", { max: 60 }), not a field`},
	{`rule.length("a", { field: "b" })`, `rule.length() has no option field`},
	{`rule.length("a", {}, {})`, `rule.length() takes two arguments at most`},
	{`rule.required(["a"], "reason")`, `rule.required() takes its options as a plain object, such as rule.required(["summary"]), not a string`},
	{`exact(0.1)`, `exact() takes the text of one JSON value, such as exact("12345678901234567890.5"), not a number`},
	{`exact("1", "2")`, `exact() takes the text of one JSON value, such as exact("12345678901234567890.5"), not 2 arguments`},
	{`Object.assign(text(), { label: "later" })`, ``},
	{`Object.assign(rule, { length: null })`, ``},
}

func TestBuildersRefuseWhatIsOfAnotherKind(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for i, tt := range refusals {
		files[fmt.Sprintf("%02d.mjs", i)] = &fstest.MapFile{Data: []byte("import { block, blocks, collection, exact, item, list, object, reference, richText, rule, singleton, text } from \"svc/schema\";\n" +
			"export const shared =\n  " + tt.call + ";\n")}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	_, err := Load(t.Context(), dir, Options{})
	var refused *Error
	if !errors.As(err, &refused) || len(refused.Issues) != len(refusals) {
		t.Fatalf("%d mistakes, got %v", len(refusals), err)
	}
	for i, tt := range refusals {
		got := refused.Issues[i]
		if got.File != fmt.Sprintf("%02d.mjs", i) || got.Line != 3 || !strings.Contains(got.Message, tt.want) {
			t.Errorf("%s: got %s, want line 3 and %q", tt.call, got, tt.want)
		}
	}
}

// Faults that the JSON shows are left to package schema, which tells all of them at once.
func TestBuildersLeaveTheRestToTheModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := `import { collection, text, list, item, slug } from "svc/schema";
export default collection({
  name: "Posts",
  fields: {
    title: text({ maxLenght: 3 }),
    tags: list({ of: item.text({ label: "Tag" }) }),
    slug: slug({ ...slug({ from: "titel" }), localized: true }),
    ["__proto__"]: text(),
  },
});
`
	if err := os.WriteFile(filepath.Join(dir, "a.js"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(t.Context(), dir, Options{})
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	var got []string
	for _, issue := range refused.Issues {
		got = append(got, fmt.Sprintf("%d %s %s", issue.Line, issue.Path, issue.Code))
	}
	want := []string{
		"2 name key", "5 fields.title.maxLenght unknown_option", "6 fields.tags.of.label unknown_option",
		"7 fields.slug.localized not_allowed", "7 fields.slug.from unknown_field", "8 fields.__proto__ key",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v\n%v", got, want, err)
	}
}
