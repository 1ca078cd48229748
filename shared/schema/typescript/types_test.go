package typescript

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/schematest"
	"svc/shared/value"
)

var both = value.Locales{Codes: []string{"en", "de"}, Default: "en"}

// compile runs tsc --strict over files, and fails the test with what it has to say.
func compile(t *testing.T, files map[string]string) {
	t.Helper()
	compileIn(t, t.TempDir(), files)
}

func compileIn(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	arguments := []string{"--strict", "--noEmit", "--target", "es2020", "--moduleResolution", "node"}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, path)
	}
	out, err := exec.Command("tsc", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("tsc, which deploy/local/install.sh installs: %v\n%s", err, out)
	}
}

func parse(t *testing.T, file string) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTypesAreFormatted(t *testing.T) {
	t.Parallel()
	authors := parse(t, `{"name":"authors","titleField":"name","fields":{"name":{"type":"text","required":true,"localized":true}}}`)
	set := []*schema.Collection{read(t, "../testdata/golden/every_option.json"), read(t, "../testdata/golden/home.json"), authors}
	types := Types(set, both)
	golden(t, "types.golden", types)
	compile(t, map[string]string{"types.ts": string(types)})
}

func TestTypesOfProjectsWithoutLocalesHaveNone(t *testing.T) {
	t.Parallel()
	types := string(Types([]*schema.Collection{parse(t, `{"name":"a","fields":{"f":{"type":"text","localized":true}}}`)}, value.Locales{}))
	if strings.Contains(types, "Locale") {
		t.Error("the types speak of locales")
	}
	compile(t, map[string]string{
		"types.ts":  types,
		"values.ts": "import * as t from \"./types\";\nconst d: t.ADraft = { f: \"x\" };\nconst r: t.AResolved = {};\n",
	})
}

// sample is a random collection with values that fit it.
type sample struct {
	schema  *schema.Collection
	entries []jsontext.Value
}

var samples = rapid.Custom(func(t *rapid.T) sample {
	c, err := schema.Parse(schematest.Files().Draw(t, "file").Plain())
	if err != nil {
		t.Fatal(err)
	}
	s := sample{schema: c}
	for range 3 {
		s.entries = append(s.entries, schematest.Entry(t, c, both.Codes))
	}
	return s
})

// Whatever the service accepts and answers is of the types: as it is written, stored, and read in both ways.
func TestValuesThatFitAreOfTheTypes(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for seed := range 40 {
		s := samples.Example(seed)
		var b strings.Builder
		fmt.Fprintf(&b, "import * as t from \"./types%d\";\n", seed)
		for i, written := range s.entries {
			compact, err := value.ParseObject(written, "fields")
			if err != nil {
				t.Fatal(err)
			}
			stored, err := value.Canonical(s.schema, both, compact, value.FillRequired)
			if err != nil {
				t.Fatal(err)
			}
			resolved, err := value.AppendResolved(nil, s.schema, both, "de", stored)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "const w%d: t.ThingsDraft = %s;\nconst d%d: t.ThingsDraft = %s;\n", i, written, i, stored)
			fmt.Fprintf(&b, "const f%d: t.ThingsFields = %s;\nconst r%d: t.ThingsResolved = %s;\n", i, stored, i, resolved)
		}
		files[fmt.Sprintf("types%d.ts", seed)] = string(Types([]*schema.Collection{s.schema}, both))
		files[fmt.Sprintf("values%d.ts", seed)] = b.String()
	}
	compile(t, files)
}

// The values in testdata/all_values.ts are of every type: right ones must compile, wrong ones must not.
func TestTypesTellRightFromWrong(t *testing.T) {
	t.Parallel()
	values, err := os.ReadFile("testdata/all_values.ts")
	if err != nil {
		t.Fatal(err)
	}
	plain := parse(t, `{"name":"plain","fields":{"name":{"type":"text","required":true}}}`)
	types := Types([]*schema.Collection{read(t, "testdata/all.json"), plain}, both)
	compile(t, map[string]string{"all.ts": string(types), "values.ts": string(values)})
}

func TestNamesOfTypesAreDistinct(t *testing.T) {
	t.Parallel()
	var set []*schema.Collection
	for _, file := range []string{
		`{"name":"rich","fields":{"text_node":{"type":"object","fields":{}},"text":{"type":"object","fields":{}}}}`,
		`{"name":"rich_text","fields":{"mark":{"type":"object","fields":{}}}}`,
		`{"name":"a_b","fields":{"draft":{"type":"object","fields":{"x":{"type":"text"}}},"fields":{"type":"text"}}}`,
		`{"name":"ab","fields":{}}`,
		`{"name":"a1","fields":{"b":{"type":"object","fields":{}},"B":{"type":"object","fields":{}},"b_":{"type":"object","fields":{}}}}`,
		`{"name":"a_1","fields":{"constructor":{"type":"text"},"default":{"type":"text"}}}`,
		`{"name":"a_b_draft","fields":{}}`,
		`{"name":"localized","fields":{"draft":{"type":"blocks","allowed":[{"key":"a","fields":{}},{"key":"A","fields":{}}]}}}`,
	} {
		set = append(set, parse(t, file))
	}
	types := string(Types(set, both))
	seen := map[string]bool{}
	for _, match := range declared.FindAllStringSubmatch(types, -1) {
		if seen[match[1]] {
			t.Errorf("%s is declared twice", match[1])
		}
		seen[match[1]] = true
	}
	for _, name := range []string{"RichTextFields", "A1Fields", "A12Fields", "ABDraft", "ABDraft2", "ABDraftDraft"} {
		if !seen[name] {
			t.Errorf("no type is called %s", name)
		}
	}
	compile(t, map[string]string{"types.ts": types})
}
