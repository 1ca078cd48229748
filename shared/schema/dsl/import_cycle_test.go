package dsl

import (
	"strings"
	"testing"
)

const circleHead = `import { collection, object, reference, text } from "svc/schema";` + "\n"

// Files that import each other need what is not there yet. The fault names the files and what to write instead.
func TestCircularImportsAreTold(t *testing.T) {
	t.Parallel()
	refers := func(name, from string) string {
		return circleHead + "import other from \"./" + from + "\";\nexport default collection({ name: \"" + name + "\", fields: { r: reference({ to: other.name }) } });\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string // parts of the one issue
	}{
		"two files": {
			map[string]string{"authors.ts": refers("authors", "posts"), "posts.ts": refers("posts", "authors")},
			[]string{"posts.ts:3:79: ", "still undefined (TypeError: Cannot read property 'name' of undefined)", ": posts.ts imports authors.ts, which imports posts.ts, and what", `such as to: "authors"`},
		},
		"three files": {
			map[string]string{"a.ts": refers("a", "b"), "b.ts": refers("b", "sub/c"), "sub/c.mts": refers("c", "../a")},
			[]string{"sub/c.mts:3:75: ", ": sub/c.mts imports a.ts, which imports b.ts, which imports sub/c.mts, and what", `such as to: "a"`},
		},
		"a file that imports itself": {
			map[string]string{"posts.ts": circleHead + "import { later as x } from \"./posts\";\nexport default collection({ name: x.name, fields: {} });\nexport const later = { name: \"posts\" };\n"},
			[]string{"posts.ts:3:37: ", ": posts.ts imports posts.ts, and what", `such as to: "authors"`},
		},
		"a name that is not there yet": {
			map[string]string{
				"a.ts": circleHead + "import b from \"./b\";\nexport const NAME = \"a\";\nexport default collection({ name: NAME, fields: { r: reference({ to: b.name }) } });\n",
				"b.ts": circleHead + "import { NAME } from \"./a\";\nexport default collection({ name: \"b\", fields: { r: reference({ to: NAME }) } });\n",
			},
			[]string{"b.ts:3:53: fields.r.to is missing", "perhaps it is set, but the import is circular: b.ts imports a.ts, which imports b.ts, and what", `such as to: "a"`},
		},
		"a field that is not there yet": {
			map[string]string{
				"a.ts": circleHead + "import \"./b\";\nexport const seo = object({ fields: { t: text() } });\n",
				"b.ts": circleHead + "import { seo } from \"./a\";\nexport default collection({ name: \"b\", fields: { seo } });\n",
			},
			[]string{"b.ts:3:16: the import is circular", "(collection(): fields.seo must be a field", "not undefined)", ": b.ts imports a.ts, which imports b.ts, and what", "move what files share into one that imports none"},
		},
		"a value that a helper reads": {
			map[string]string{
				"lib.ts":     circleHead + "export const to = (c: any) => reference({ to: c.name });\n",
				"authors.ts": circleHead + "import { posts } from \"./posts\";\nimport { to } from \"./lib\";\nexport const authors = collection({ name: \"authors\", fields: { r: to(posts) } });\n",
				"posts.ts":   circleHead + "import { authors } from \"./authors\";\nimport { to } from \"./lib\";\nexport const posts = collection({ name: \"posts\", fields: { r: to(authors) } });\n",
			},
			[]string{"lib.ts:2:49: ", ": posts.ts imports authors.ts, which imports posts.ts, and what"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := refusal(t, folderOf(t, c.files))
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("it is refused with\n%s\nwant %s", got, want)
				}
			}
			if strings.Contains(got, "\n") {
				t.Errorf("there is more than one issue:\n%s", got)
			}
		})
	}
}

// Circles in which every value is there when it is read are no fault, nor are those that came to nothing else.
func TestCirclesThatDoNoHarmAreTaken(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{
		"index.ts": "export * from \"./seo\";\nexport * from \"./posts\";\n",
		"seo.ts":   circleHead + "export const seo = object({ fields: { t: text() } });\n",
		"posts.ts": circleHead + "import { seo } from \".\";\nexport const posts = collection({ name: \"posts\", fields: { seo } });\n",
	})
	if got := names(mustLoad(t, dir)); got != "posts" {
		t.Errorf("the folder declares %q", got)
	}
	dir = folderOf(t, map[string]string{
		"a.ts": "import \"./b\";\nthrow new Error(\"not now\");\n",
		"b.ts": "import \"./a\";\n" + notes("b"),
		"c.ts": circleHead + "export default collection({ name: undefined as any, fields: {} });\n",
	})
	if got := refusal(t, dir); strings.Contains(got, "circular") {
		t.Errorf("it is refused with\n%s", got)
	}
}
