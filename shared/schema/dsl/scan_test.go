package dsl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// link makes a symbolic link in a folder, or skips where the system has none.
func link(t *testing.T, target, dir, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
}

func TestLinksStayInTheFolder(t *testing.T) {
	outside := folderOf(t, map[string]string{"secret.ts": notes("secret"), "sub/more.ts": notes("more")})
	for name, c := range map[string]struct {
		target, link string
		want         string // the beginning of the refusal; empty where the link is taken or left alone
	}{
		"to a file outside":          {filepath.Join(outside, "secret.ts"), "b.ts", "b.ts: is a link that leaves the schema folder"},
		"up and out":                 {"../../../../../../../../etc/passwd", "b.js", "b.js: is a link that leaves the schema folder"},
		"to a folder outside":        {filepath.Join(outside, "sub"), "sub", "sub: is a link that leaves the schema folder"},
		"to a folder inside":         {"shared", "again", "again: is a link to a folder"},
		"to the folder itself":       {".", "self", "self: is a link to a folder"},
		"to nothing":                 {"nothing.ts", "b.ts", "b.ts: is a link that leaves the schema folder or leads nowhere"},
		"to itself":                  {"b.ts", "b.ts", "b.ts: is a link that leaves the schema folder or leads nowhere"},
		"to a file inside":           {"shared/names.ts", "b.ts", ""},
		"to another file outside":    {filepath.Join(outside, "secret.ts"), "README.md", ""},
		"with a name that is hidden": {filepath.Join(outside, "secret.ts"), ".b.ts", ""},
		"node_modules":               {outside, "node_modules", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderOf(t, map[string]string{"a.ts": notes("a"), "shared/names.ts": "export const n = 1;\n"})
			link(t, c.target, dir, c.link)
			if c.want == "" {
				if got := names(mustLoad(t, dir)); got != "a" {
					t.Errorf("the folder declares %q", got)
				}
				return
			}
			if got := refusal(t, dir); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("it is refused with\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTheFolderItselfMayBeALink(t *testing.T) {
	dir, other := folderOf(t, map[string]string{"a.ts": notes("a")}), t.TempDir()
	link(t, dir, other, "schema")
	if got := names(mustLoad(t, filepath.Join(other, "schema"))); got != "a" {
		t.Errorf("the folder declares %q", got)
	}
}

func TestAFolderIsBounded(t *testing.T) {
	many, large := map[string]string{}, map[string]string{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprintf("f%d.ts", i)] = "export {};"
	}
	for i := range 5 {
		large[fmt.Sprintf("f%d.ts", i)] = strings.Repeat("/", MaxFileBytes)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"in files":         {many, "the schema folder holds more than 1000 schema files"},
		"in bytes":         {large, "the schema files have more than 4194304 bytes together"},
		"in bytes of each": {map[string]string{"a.ts": strings.Repeat("/", MaxFileBytes+1)}, "a.ts: is larger than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderOf(t, c.files)
			_, issues, err := scan(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(issues) != 1 || issues[0].Code != CodeTooLarge || !strings.HasPrefix(issues[0].String(), c.want) {
				t.Errorf("the issues are %v", issues)
			}
		})
	}
	if sources, issues, err := scan(folderOf(t, map[string]string{"a.ts": strings.Repeat("/", MaxFileBytes)})); len(sources) != 1 || len(issues) > 0 || err != nil {
		t.Errorf("a file of %d bytes is not taken: %v, %v", MaxFileBytes, issues, err)
	}
}

func TestFilesThatCannotBeTakenAreTold(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"a.ts": "import { x } from \"./latin\";\nexport default x;\n", "latin.ts": "export const x = \"\xe9\";\n", "c.ts": "export default 1;\n",
	})
	if err := os.Mkdir(filepath.Join(dir, "folder.ts"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := "c.ts:1:1: the default export is a number"
	got := refusal(t, dir)
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "latin.ts: is not UTF-8 text") || strings.Count(got, "\n") != 1 {
		t.Errorf("it is refused with\n%s", got)
	}
}

func TestAFileThatMayNotBeReadIsTold(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may read everything")
	}
	dir := folderOf(t, map[string]string{"a.ts": notes("a"), "b.ts": notes("b")})
	if err := os.Chmod(filepath.Join(dir, "b.ts"), 0); err != nil {
		t.Fatal(err)
	}
	if got := refusal(t, dir); got != "b.ts: cannot be read: permission denied" {
		t.Errorf("it is refused with\n%s", got)
	}
}
