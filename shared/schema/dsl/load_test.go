package dsl

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// folderOf writes files, by path from the folder, and returns the folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// notes is a file that exports a collection by default.
func notes(name string) string {
	return "import { collection, text } from \"svc/schema\";\nexport default collection({ name: \"" + name + "\", fields: { title: text() } });\n"
}

func names(set Set) string {
	var all []string
	for _, c := range set.Collections {
		all = append(all, c.Name)
	}
	return strings.Join(all, " ")
}

func mustLoad(t *testing.T, dir string) Set {
	t.Helper()
	set, err := Load(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// refusal loads a folder that must be refused and returns the issues, one a line.
func refusal(t *testing.T, dir string) string {
	t.Helper()
	_, err := Load(t.Context(), dir, Options{})
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("the folder is not refused: %v", err)
	}
	return refused.Error()
}

// TestExportsAreCollected is about interface, "Schema deployment semantics" 8: what a file may export.
func TestExportsAreCollected(t *testing.T) {
	t.Parallel()
	const head = "import { collection, object, text } from \"svc/schema\";\nconst c = (name: string) => collection({ name, fields: { t: text() } });\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one by default":                        {map[string]string{"a.ts": head + `export default c("a");`}, "a"},
		"an array by default":                   {map[string]string{"a.ts": head + `export default [c("b"), c("a")];`}, "a b"},
		"several by name":                       {map[string]string{"a.ts": head + `export const x = c("b"), y = c("a"); export { y as z };`}, "a b"},
		"by default and by name":                {map[string]string{"a.ts": head + `export default c("b"); export const y = c("a");`}, "a b"},
		"the same by default and by name":       {map[string]string{"a.ts": head + `export const y = c("a"); export default y;`}, "a"},
		"an array by name":                      {map[string]string{"a.ts": head + `export const all = [c("a"), c("b")];`}, "a b"},
		"an empty array beside others":          {map[string]string{"a.ts": "export default [];", "b.ts": notes("b")}, "b"},
		"other exports are left alone":          {map[string]string{"a.ts": head + `export const f = text(), n = 1, g = () => 1, o = object({ fields: {} }), l = ["a"], u = undefined; export class C {}; export type T = 1; export default c("a");`}, "a"},
		"a function that builds, by name":       {map[string]string{"a.ts": head + `export { c }; export default c("a");`}, "a"},
		"a plain object":                        {map[string]string{"a.js": `export default { name: "a", fields: { t: { type: "text" } } };`}, "a"},
		"plain objects by name":                 {map[string]string{"a.mjs": `export const a = { name: "a", fields: {} }, author = { name: "A. Author" };`}, "a"},
		"an index that exports again":           {map[string]string{"index.ts": `export * from "./posts"; export { default } from "./posts"; export { default as same } from "./posts";`, "posts.ts": notes("posts")}, "posts"},
		"files in folders, all kinds":           {map[string]string{"b/c/d.mts": notes("d"), "a.ts": notes("a"), "b/b.js": notes("b"), "e.mjs": notes("e")}, "a b d e"},
		"left out":                              {map[string]string{"a.ts": notes("a"), ".b.ts": notes("b"), ".git/c.ts": notes("c"), "node_modules/x/d.ts": notes("d"), "x/dist/e.js": notes("e"), "f.d.ts": "export declare const f: 1;", "g.d.mts": "export {};", "h.json": "{}", "i.tsx": "x", "j.cjs": "x"}, "a"},
		"names that only look like left out":    {map[string]string{"dist.ts": notes("a"), "my.node_modules/b.ts": notes("b"), "dd.ts": notes("c")}, "a b c"},
		"TypeScript that leaves nothing":        {map[string]string{"a.ts": "enum Kind { A = \"a\" }\nnamespace N { export const b = Kind.A as string; }\nabstract class P<T> { constructor(readonly t: T) {} }\n" + head + `export default c(N.b satisfies string as const extends never ? never : any);`}, "a"},
		"a byte order mark, a hash-bang":        {map[string]string{"a.ts": "\uFEFF" + notes("a"), "b.mjs": "#!/usr/bin/env node\n" + notes("b")}, "a b"},
		"spaces and other letters in a name":    {map[string]string{"été à la %41 mer/b c#1?.ts": notes("a")}, "a"},
		"windows line ends":                     {map[string]string{"a.ts": strings.ReplaceAll(notes("a"), "\n", "\r\n")}, "a"},
		"new features of the language":          {map[string]string{"a.ts": head + `const o: any = { a: { b: null } }; class K { static #x = "a"; static get y() { return K.#x; } } export default c(o?.a?.b ?? [K.y].at(-1)!); let z = o; z ||= 1; z **= 2;`}, "a"},
		"async functions that no one waits for": {map[string]string{"a.ts": head + `export async function f() { await null; } void f(); export default c("a");`}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			set := mustLoad(t, folderOf(t, c.files))
			if got := names(set); got != c.want {
				t.Errorf("the folder declares %q, want %q", got, c.want)
			}
			if len(set.Warnings) > 0 {
				t.Errorf("it warns of %v", set.Warnings)
			}
		})
	}
}

func TestTheLastDeclarationOfANameCounts(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{
		"a.ts":   notes("posts"),
		"b/a.ts": strings.Replace(notes("posts"), "title", "heading", 1),
		"c.ts":   "import { collection } from \"svc/schema\";\nexport const b = collection({ name: \"tags\", fields: {} });\nexport const a = collection({ name: \"tags\", label: \"Never\", fields: {} });\n",
	})
	set := mustLoad(t, dir)
	posts, tags := set.Collections[0], set.Collections[1]
	if posts.File != "b/a.ts" || posts.Line != 2 || posts.Column != 16 || posts.Fields[0].Key != "heading" {
		t.Errorf("posts is that of %s:%d:%d with %s", posts.File, posts.Line, posts.Column, posts.Fields[0].Key)
	}
	if tags.Label != "tags" {
		t.Errorf("in a file, the last export by name does not count, but %q", tags.Label)
	}
	var warned []string
	for _, w := range set.Warnings {
		warned = append(warned, w.String())
	}
	want := []string{
		`a.ts:2:16: the collection "posts" is declared again at b/a.ts:2:16: that one counts, and this one is ignored`,
		`c.ts:3:18: the collection "tags" is declared again at c.ts:2:18: that one counts, and this one is ignored`,
	}
	if !slices.Equal(warned, want) {
		t.Errorf("it warns of\n%s\nwant\n%s", strings.Join(warned, "\n"), strings.Join(want, "\n"))
	}
}

func TestFilesImportEachOther(t *testing.T) {
	t.Parallel()
	const shared = "import { text } from \"svc/schema\";\nexport const title = text({ maxLength: 7 });\nexport default { title };\n"
	for name, c := range map[string]struct{ file, from, shared string }{
		"without extension":            {"a.ts", "./shared/title", "shared/title.ts"},
		"with its extension":           {"a.ts", "./shared/title.ts", "shared/title.ts"},
		".js that names a .ts":         {"a.ts", "./title.js", "title.ts"},
		".mjs that names a .mts":       {"a.mts", "./title.mjs", "title.mts"},
		"a .js file":                   {"a.ts", "./title.js", "title.js"},
		"a .mjs file without it":       {"a.js", "./title", "title.mjs"},
		"up and down":                  {"a/b/c.ts", "../../title", "title.ts"},
		"up and down again":            {"a/b/c.ts", "../d/./title", "a/d/title.ts"},
		"the index of a folder":        {"a.ts", "./shared", "shared/index.ts"},
		"the index beside it":          {"a.ts", ".", "index.ts"},
		"the index above, with slash":  {"b/a.ts", "../", "index.mts"},
		"a dot in the name":            {"a.ts", "./title.shared", "title.shared.ts"},
		"a name with blanks and signs": {"a.ts", "./my title+ü", "my title+ü.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			set := mustLoad(t, folderOf(t, map[string]string{
				c.shared: strings.Replace(shared, "export default { title };\n", "", 1),
				c.file: "import { collection } from \"svc/schema\";\nimport * as all from \"" + c.from + "\";\nimport { title } from \"" + c.from +
					"\";\nexport default collection({ name: \"a\", fields: { title, again: all.title } });\n",
			}))
			if f := set.Collections[0].Field("again"); f == nil || f.MaxLength == nil || *f.MaxLength != 7 {
				t.Errorf("the field is %+v", f)
			}
		})
	}
}

func TestModulesAreEvaluatedOnce(t *testing.T) {
	t.Parallel()
	set := mustLoad(t, folderOf(t, map[string]string{
		"counter.ts": "let n = 0;\nexport const next = () => \"n\" + ++n;\n",
		"a.ts":       strings.Replace(strings.Replace(notes("X"), `"X"`, "next()", 1), "\n", "\nimport { next } from \"./counter\";\n", 1),
		"b.ts":       strings.Replace(strings.Replace(notes("X"), `"X"`, "next()", 1), "\n", "\nimport { next } from \"./counter.ts\";\n", 1),
	}))
	if got := names(set); got != "n1 n2" {
		t.Errorf("the folder declares %q, want n1 n2", got)
	}
}

func TestAllFaultsAreToldAtOnceAndWhere(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{
		"a/syntax.ts":   "export default {\n",
		"b/importer.ts": "import x from \"../a/syntax\";\nexport default x;\n",
		"c/missing.mts": "import { x } from \"./nothing\";\nimport { y } from \"fs\";\nexport default [x, y];\n",
		"d/schema.ts": `import { collection, list, item, object, reference, text } from "svc/schema";

const seo = object({
  fields: { description: text({ maxLenght: 160 }) },
});
export const posts = collection({
  name: "posts",
  titleField: "titel",
  fields: {
    title: text(), seo,
    tags: list({
      of: item.text({ pattern: "(" }),
      minItems: -1,
    }),
    author: reference({ to: "nobody" }),
  },
});
`,
		"e/throws.js":     "const deep = () => { throw new Error(\"not\\nnow\"); };\n\n  deep();\n",
		"f/unfinished.ts": "import { collection } from \"svc/schema\";\nexport default collection({ name: \"x\", fields: {\n",
		"g/value.mjs":     "import { collection, text } from \"svc/schema\";\nexport default [\n  collection({ name: \"v\", fields: { f: text({ label: () => 1 }), g: { type: \"text\", default: Symbol() } } }),\n];\n",
		"f/wrong.ts":      "// ends its lines like this\r\rexport default {]\r",
		"h/plain.js":      "\n  export const plain = { name: \"Plain\", fields: {} };\n",
	})
	told := func(want ...string) {
		t.Helper()
		got := strings.Split(refusal(t, dir), "\n")
		if len(got) != len(want) {
			t.Errorf("there are %d issues, want %d", len(got), len(want))
		}
		for i, line := range got {
			if i >= len(want) || !strings.HasPrefix(line, want[i]) {
				t.Errorf("issue %d is\n%s", i, line)
			}
		}
	}
	told(
		"a/syntax.ts:1:17: the file ends in the middle of something",
		"c/missing.mts:1:19: there is no file \"c/nothing\" in the schema folder",
		"c/missing.mts:2:19: \"fs\" cannot be imported: a schema file has",
		"f/unfinished.ts:2:49: the file ends in the middle of something",
		"f/wrong.ts:3:17: Expected identifier but found",
	)
	for _, file := range []string{"a/syntax.ts", "b/importer.ts", "c/missing.mts", "f/unfinished.ts", "f/wrong.ts"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	told(
		"d/schema.ts:4:26: fields.seo.fields.description.maxLenght ",
		"d/schema.ts:6:22: titleField there is no field",
		"d/schema.ts:11:11: fields.tags.minItems ",
		"d/schema.ts:12:16: fields.tags.of.pattern ",
		"e/throws.js:1:28: not now",
		"g/value.mjs:3:3: fields.g.default is a symbol",
		"g/value.mjs:3:40: fields.f.label is a function",
		"h/plain.js: name ",
	)
}

func TestReferencesMustLeadToACollectionOfTheSet(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{
		"a.ts": "import { collection, reference } from \"svc/schema\";\nexport default collection({ name: \"a\", fields: { to: reference({ to: \"b\" }),\n  other: reference({ to: \"c\" }) } });\n",
		"b.ts": notes("b"),
	})
	if got := refusal(t, dir); got != "a.ts:3:10: fields.other.to there is no collection \"c\" in the set" {
		t.Errorf("it is refused with\n%s", got)
	}
	if set, err := Load(t.Context(), dir, Options{Deployed: true}); err != nil || len(set.Collections) != 2 {
		t.Errorf("where any target will do: %v, %v", set.Collections, err)
	}
}

func TestFoldersWithoutCollectionsAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dir  string
		want error
	}{
		"missing":        {filepath.Join(t.TempDir(), "missing"), fs.ErrNotExist},
		"empty":          {folderOf(t, nil), ErrNoFiles},
		"no files":       {folderOf(t, map[string]string{"a.json": "{}", "b.d.ts": ""}), ErrNoFiles},
		"no collections": {folderOf(t, map[string]string{"a.ts": "export const a = 1;"}), ErrNoCollections},
	} {
		t.Run(name, func(t *testing.T) {
			if set, err := Load(t.Context(), c.dir, Options{}); !errors.Is(err, c.want) {
				t.Errorf("it declares %q with the error %v, want %v", names(set), err, c.want)
			}
		})
	}
	file := filepath.Join(folderOf(t, map[string]string{"a.ts": ""}), "a.ts")
	if _, err := Load(t.Context(), file, Options{}); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// TestADeclarationBeyondAllBoundsIsToldWhatAPushTakes: it is not made to JSON first.
func TestADeclarationBeyondAllBoundsIsToldWhatAPushTakes(t *testing.T) {
	t.Parallel()
	got := refusal(t, folderOf(t, map[string]string{
		"a.ts": `import { collection } from "svc/schema"; export default collection({ name: "a", guidance: "x".repeat(8 << 20), fields: {} });`,
	}))
	if !strings.Contains(got, "the files declare more than 8388608 bytes as JSON, and a push takes 1048576") {
		t.Error(got)
	}
}

func TestALoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Load(ctx, folderOf(t, map[string]string{"a.ts": "for (;;) {}"}), Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ends in %v", err)
	}
}

func TestPathsIntoASetAreLocated(t *testing.T) {
	t.Parallel()
	set := mustLoad(t, folderOf(t, map[string]string{"b.ts": notes("b"), "x/a.ts": notes("a")}))
	for path, want := range map[string]string{
		"collections[0].fields.title.maxLength": "x/a.ts:2:57 fields.title.maxLength",
		"collections[1].fields.titles":          "b.ts:2:16 fields.titles",
		"collections[1]":                        "b.ts:2:16 ",
		"collections[10].name":                  "",
		"confirm":                               "",
	} {
		at, ok := set.Locate(path)
		if got := at.Place() + " " + at.Path; ok != (want != "") || ok && got != want {
			t.Errorf("%s is at %q, %v; want %q", path, got, ok, want)
		}
	}
}

// BenchmarkLoad loads a folder of five small files, as a command does before it begins.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	for _, name := range []string{"articles", "categories", "desks", "home", "notes"} {
		if err := os.WriteFile(filepath.Join(dir, name+".ts"), []byte(notes(name)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := Load(b.Context(), dir, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
