package dsl

import (
	"strings"
	"testing"
)

// An error that a file throws is told with its line and column, what it exports with the file.
func TestFaultsHaveAPlaceHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	const head = "import { collection } from \"svc/schema\"; const c = collection({ name: \"c\", fields: {} }); "
	for name, c := range map[string]struct{ text, want string }{
		"a default beside an import":     {head + "export default 5;", "a.ts: the default export is a number"},
		"behind what only looks like it": {head + "/* export default 6 */ export const x = \"export default 7\"; export default 5;", "a.ts: the default export"},
		"on a line of its own":           {head + "\n  export\n  default\n  5;", "a.ts: the default export"},
		"a name that becomes it":         {head + "const x = 5;\nexport { c, x as default };", "a.ts: the default export"},
		"an array by name":               {head + "export const l = [c, 5];", "a.ts: the export l[1] is a number"},
		"the second name of it":          {head + "export const k = 1, l = [c, 5];", "a.ts: the export l[1] is a number"},
		"an array under another name":    {head + "const k = [c, 5];\nexport { c, k as l };", "a.ts: the export l[1] is a number"},
		"an array in braces":             {head + "const l = [c, 5];\nexport { c, l };", "a.ts: the export l[1] is a number"},
		"an object is thrown":            {head + "\nconst f = () => { throw 1; };\nthrow { a: 1 };", "a.ts: threw an object"},
		"a text is thrown":               {"throw \"no\";", "a.ts: threw no"},
		"deep in a call":                 {head + "\nconst f = () => {\n  throw 5; };\nconst x = [1];\nx.map(() => f());", "a.ts: threw 5"},
		"thrown again":                   {"try { throw 1; } catch (e) {\n  throw e;\n}", "a.ts: threw 1"},
		"an error that is thrown later":  {"const e = new Error(\"x\");\nthrow e;", "a.ts:1:11: x"},
	} {
		if got := refusal(t, folderOf(t, map[string]string{"a.ts": c.text})); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: it is refused with\n%s", name, got)
		}
	}
}

// What fails once fails for all that import it, and is told once; an error where it is.
func TestAFileThatThrowsIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"an error": "throw new Error(\"x\");", "an object": "throw {};", "nothing": "throw undefined;"} {
		got := refusal(t, folderOf(t, map[string]string{
			"a.ts": "import { x } from \"./c\";\nexport default x;\n", "b.ts": "import { x } from \"./c\";\nimport \"./a\";\nexport default x;\n",
			"c.ts": "import \"./d\";\nexport const x = 1;\n" + text + "\n", "d.ts": "import { x } from \"./c\";\nexport const y = () => x;\n", "e.ts": notes("e"),
		}))
		if !strings.HasPrefix(got, "a.ts: threw ") && !strings.HasPrefix(got, "c.ts:3:7: x") || strings.Contains(got, "\n") {
			t.Errorf("%s: it is refused with\n%s", name, got)
		}
	}
}
