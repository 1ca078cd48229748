package dsl

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/shared/schema"
)

// Names that no message can show as they are make an issue of their file, with the name escaped.
func TestNamesThatCannotBeShownAreTold(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not take every one of these names")
	}
	for name, c := range map[string]struct{ file, want string }{
		"not UTF-8":             {"b\xff.ts", `b\xff.ts: has a name or a folder whose name is not UTF-8 or holds`},
		"Latin-1":               {"caf\xe9.ts", `caf\xe9.ts: has a name or a folder whose name is not UTF-8 or holds`},
		"a folder not UTF-8":    {"x\xfe/b.ts", `x\xfe: is a folder whose name is not UTF-8, so that no file in it can be named; rename it`},
		"a newline":             {"b\nc.ts", `b\nc.ts: has a name`},
		"a control character":   {"b\x1b[2Jc.ts", `b\x1b[2Jc.ts: has a name`},
		"a backslash beside it": {"b\\n\nc.ts", `b\\n\nc.ts: has a name`},
		"no width":              {"b\u200bc.mts", `b\u200bc.mts: has a name`},
		"a filler":              {"b\u3164c.js", `b\u3164c.js: has a name`},
		"right to left":         {"b\u202etxt.ts", `b\u202etxt.ts: has a name`},
		"a folder with one":     {"x\u2066/y/b.mjs", `x\u2066/y/b.mjs: has a name or a folder whose name is not UTF-8 or holds`},
		"a no-break space":      {"b\u00a0c.ts", `b\u00a0c.ts: has a name`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderOf(t, map[string]string{"a.ts": notes("a"), c.file: notes("b")})
			got := refusal(t, dir)
			if !strings.HasPrefix(got, c.want) || !schema.IsVisible(got) {
				t.Errorf("it is refused with\n%q\nwant\n%s", got, c.want)
			}
			if files, err := Files(t.Context(), dir); err != nil || !slices.Equal(files, []string{"a.ts"}) {
				t.Errorf("the files of the folder are %q, %v", files, err)
			}
		})
	}
}

// What is no schema file may be called anything, and what is left out as well.
func TestNamesOfOtherFilesDoNotMatter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not take every one of these names")
	}
	dir := folderOf(t, map[string]string{
		"a.ts": notes("a"), "b\xff.md": "", "c\n.txt": "", ".d\xff/e.ts": notes("e"), "node_modules/\xff/f.ts": notes("f"), "x\u200b/README": "", "dist/\xff.ts": "",
	})
	if got := names(mustLoad(t, dir)); got != "a" {
		t.Errorf("the folder declares %q", got)
	}
}

func TestLinksWhoseNamesCannotBeShownAreTold(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{"a.ts": notes("a"), "shared/b.ts": "export const b = 1;\n"})
	link(t, "a.ts", dir, "c\u202e.ts")
	link(t, "shared", dir, "d\n\u200b")
	got := refusal(t, dir)
	if want := `c\u202e.ts: has a name`; !strings.HasPrefix(got, want) || !strings.Contains(got, "\n"+`d\n\u200b: is a link to a folder`) {
		t.Errorf("it is refused with\n%s", got)
	}
}

// A folder of files with every byte in their names never fails otherwise than with issues.
func TestEveryByteInAName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not take every one of these names")
	}
	files := map[string]string{"a.ts": notes("a")}
	for b := 1; b < 256; b++ {
		if b != '/' {
			files["x"+string([]byte{byte(b)})+".ts"] = "export const x = 1;\n"
		}
	}
	got := refusal(t, folderOf(t, files))
	lines := strings.Split(got, "\n")
	if hidden := 31 + 1 + 128; len(lines) != hidden || !utf8.ValidString(got) {
		t.Errorf("%d files are refused, want %d:\n%s", len(lines), hidden, got)
	}
}

// What a file's author writes is shown short and visible, wherever it stands, and the place of a fault is still found.
func TestIssuesShowAuthorsTextsShortAndVisible(t *testing.T) {
	t.Parallel()
	const head = "import { blocks, collection, object, rule, text, item, list } from \"svc/schema\";\n"
	for _, evil := range []string{`\u200b\u202e\n`, strings.Repeat("k", 5000), `\u{e0041}` + strings.Repeat(`\u200b`, 2000)} {
		e := `"` + evil + `"`
		for name, text := range map[string]string{
			"a key of a field":        head + "export default collection({ name: \"a\", fields: {\n  " + e + ": text({ maxLenght: 1 }) } });\n",
			"a key of no field":       head + "export default collection({ name: \"a\", fields: { " + e + ": 1 } });\n",
			"a key of items":          head + "export default collection({ name: \"a\", fields: { " + e + ": item.text() } });\n",
			"a field beside":          head + "export default object({ " + e + ": text() });\n",
			"an option":               head + "export default collection({ name: \"a\", " + e + ": 1, fields: {} });\n",
			"a function":              head + "export default collection({ name: \"a\", fields: { x: text({ " + e + ": () => 1 }) } });\n",
			"a thrown error":          "throw new Error(" + e + " + \" \");\n",
			"a thrown text":           "throw " + e + ";\n",
			"a class":                 "export default new (class { static name = " + e + " })();\n",
			"an import":               "import x from " + e + ";\nexport default x;\n",
			"a relative import":       "import x from \"./" + evil + "\";\nexport default x;\n",
			"a name":                  head + "export default collection({ name: " + e + ", fields: { t: text({}) } });\n",
			"an export":               head + "const x = [collection({ name: \"a\", fields: {} }), 1];\nexport { x as " + e + " };\n",
			"a require":               "export default require(" + e + ");\n",
			"a name that is imported": "import { " + e + " as x } from \"svc/schema\";\nexport default x;\n",
		} {
			dir := folderOf(t, map[string]string{"a.ts": text})
			_, err := Load(t.Context(), dir, Options{})
			refused, ok := err.(*Error)
			if !ok {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, i := range refused.Issues {
				if len(i.Path) > 1500 || len(i.Message) > 2000 || !schema.IsVisible(i.String()) {
					t.Errorf("%s: %d bytes at %q: %q", name, len(i.Message), i.Path, i.Message)
				}
			}
			if name == "a key of a field" && refused.Issues[len(refused.Issues)-1].Line != 3 {
				t.Errorf("%s: the fault is said to be at %s", name, refused.Issues[len(refused.Issues)-1].Place())
			}
		}
	}
}

func TestFaultsOfListsNameTheItem(t *testing.T) {
	t.Parallel()
	const head = "import { asset, blocks, collection, item, list, rule, text } from \"svc/schema\";\n"
	for name, c := range map[string]struct{ text, want string }{
		"a MIME family": {head + "export default collection({ name: \"a\", fields: { x: asset({ allowed: [\"image/*\", \"text/*\", \"png\"] }) } });\n", "fields.x.allowed[2] "},
		"a hole":        {head + "export default collection({ name: \"a\", fields: { x: text({ enum: [\"a\", , \"b\"] }) } });\n", "fields.x.enum[1] is a hole"},
		"a function":    {head + "export default collection({ name: \"a\", fields: { x: text({ enum: [\"a\", () => 1] }) } });\n", "fields.x.enum[1] is a function"},
		"a block":       {head + "export default collection({ name: \"a\", fields: { x: { type: \"blocks\", allowed: [{ key: \"a\", fields: {} }, { key: \"a b\", fields: {} }] } } });\n", "fields.x.allowed[1].key "},
		"a rule's term": {head + "export default collection({ name: \"a\", policy: [rule.altText(), rule.bannedTerms([\"a\", \" \"])], fields: {} });\n", "policy[1].terms[1] "},
		"an export":     {head + "export default [collection({ name: \"a\", fields: {} }), , collection({ name: \"b\", fields: {} })];\n", "the export default[1] is a hole"},
	} {
		if got := refusal(t, folderOf(t, map[string]string{"a.ts": c.text})); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: it is refused with %s", name, got)
		}
	}
}

// A path that no page has is refused as a push of it is, and taken where it may be deployed from before.
func TestPathsThatNoPageHasAreRefused(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"//{o}":    "must have one slash before each segment, for two lead to another host or are empty segments; write it like /blog/{slug}\n",
		"o":        "must start with a slash, such as /blog/{slug}\n",
		"/{nope}":  "names \"nope\" between braces, but there is no field of that key\n",
		"/a/{slug": "has a brace without its partner\n",
	} {
		dir := folderOf(t, map[string]string{"a.ts": "import { collection, object } from \"svc/schema\";\n" +
			"export default collection({ name: \"a\", path: \"" + path + "\", fields: { o: object({ fields: {} }) } });\n"})
		if got := refusal(t, dir); !strings.Contains(got+"\n", "a.ts:2:16: path "+want) {
			t.Errorf("%s is refused with\n%s", path, got)
		}
		_, err := Load(t.Context(), dir, Options{Deployed: true})
		if once := strings.HasPrefix(path, "//"); once != (err == nil) {
			t.Errorf("%s, deployed: %v", path, err)
		}
	}
}

func TestAFolderWithOnlyAnOddNameIsNotEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b\n.ts"), []byte(notes("b")), 0o600); err != nil {
		t.Skipf("this system does not take such a name: %v", err)
	}
	if got := refusal(t, dir); !strings.HasPrefix(got, `b\n.ts: has a name`) {
		t.Errorf("it is refused with %s", got)
	}
}
