package dsl

import (
	"slices"
	"strings"
	"testing"
)

// What is wrong with one file hides nothing of another one, and one value that cannot be read no other such value.
func TestFaultsHideNoOthers(t *testing.T) {
	t.Parallel()
	const head = "import { asset, collection, date, datetime, item, list, reference, rule, text } from \"svc/schema\";\n"
	wrong := head + "export default collection({ name: \"wrong\", fields: { a: text({ maxLenght: 1 }), r: reference({ to: \"nobody\" }), s: reference({ to: \"thrown\" }) } });\n"
	const misspelt = "wrong.ts:2:57: fields.a.maxLenght is not an option of a field of type text; did you mean maxLength?"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a file that throws": {map[string]string{"a.ts": "throw new Error(\"thrown\");\n"}, []string{"a.ts:1:7: thrown", misspelt}},
		"a file that imports what throws": {map[string]string{"a.ts": "throw new Error(\"thrown\");\n", "b.ts": "import \"./a\";\n" + notes("b")},
			[]string{"a.ts:1:7: thrown", misspelt}},
		"two that throw, and one that nothing imports": {map[string]string{"a.ts": "throw 1;\n", "z.ts": "export const thrown = 1;\nnull.x;\n"},
			[]string{"a.ts: threw 1", misspelt, "z.ts:2:"}},
		"a collection with values that no schema can hold": {
			map[string]string{"a.ts": head + "export default collection({ name: \"thrown\", titleField: \"x\", policy: [rule.required([\"f\", \"nope\"])], fields: {\n" +
				"  f: text({ label: () => 1, maxLenght: 2 }),\n  g: datetime({ min: new Date(0), max: \"2026-01-31\" }),\n  h: { type: \"text\", [Symbol(\"s\")]: 1 } as any,\n  i: list({ of: item.text({ enum: [\"a\", NaN as any, \"a\"] }) }),\n} });\n"},
			[]string{
				"a.ts:2:16: fields.h has a symbol as a key", "a.ts:3:6: fields.f.label is a function", "a.ts:4:6: fields.g.min is an object of the class Date",
				"a.ts:6:22: fields.i.of.enum[1] is NaN", misspelt,
			},
		},
		"fields that cannot be read": {map[string]string{"a.ts": "export default { name: \"thrown\", label: 1, titleField: \"x\", fields: new Map() };\n"},
			[]string{"a.ts: fields is an object of the class Map", misspelt}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"wrong.ts": wrong}
			for file, text := range c.files {
				files[file] = text
			}
			got := strings.Split(refusal(t, folderOf(t, files)), "\n")
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
					t.Errorf("missing: %s", want)
				}
			}
			if t.Failed() || len(got) != len(c.want) {
				t.Errorf("it is refused with\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// What stands in place of a string is told how that string is written.
func TestValuesAreToldHowTheyAreWritten(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		`datetime({ min: new Date(0) })`:                    `write the date as a string, such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`datetime({ default: new Date(0) as any })`:         `write the date as a string, such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`list({ of: item.datetime({ max: new Date(0) }) })`: `write the date as a string, such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`date({ max: new Date(0) })`:                        `write the date as a string, such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`list({ of: item.date({ min: new Date(0) }) })`:     `write the date as a string, such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`datetime({ min: Date.now() })`:                     `such as "2026-01-31", or the datetime, such as "2026-01-31T09:00:00+01:00"`,
		`datetime({ min: 5 as any })`:                       `must be a datetime as a string with an offset, such as "2026-01-31T09:00:00+01:00", not a number`,
		`date({ max: 5 as any })`:                           `must be a date as a string, such as "2026-01-31", not a number`,
		`datetime({ default: 5 as any })`:                   `must be a datetime as a string with an offset, such as "2026-01-31T09:00:00+01:00", not a number`,
		`text({ pattern: /^a\d"$/gi as any })`:              `is an object of the class RegExp; write the pattern as a string, such as "^[a-z]+$"`,
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			text := "import { collection, date, datetime, item, list, text } from \"svc/schema\";\nexport default collection({ name: \"a\", fields: { f: " + field + " } });\n"
			if got := refusal(t, folderOf(t, map[string]string{"a.ts": text})); !strings.Contains(got+"\n", want) || strings.Contains(got, "\n") {
				t.Errorf("it is refused with\n%s\nwant %s", got, want)
			}
		})
	}
}

// A pattern between slashes is taken as it stands, and warned of.
func TestPatternsBetweenSlashesAreWarnedOf(t *testing.T) {
	t.Parallel()
	set := mustLoad(t, folderOf(t, map[string]string{"a.ts": "import { collection, text } from \"svc/schema\";\n" +
		"export default collection({ name: \"a\", fields: {\n  f: text({ pattern: \"/^a\\\\d$/i\" }) } });\n"}))
	const want = `a.ts:3:6: fields.f.pattern is written between slashes, as in JavaScript, and fits only texts that hold these slashes; if that is not meant, write "(?i)^a\\d$"`
	if len(set.Warnings) != 1 || set.Warnings[0].String() != want {
		t.Errorf("it warns of %v, want %s", set.Warnings, want)
	}
}
