package dsl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// link makes a symbolic link in a folder, or skips where the system has none.
func link(t *testing.T, target, dir, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
}

func TestLinksStayInTheFolder(t *testing.T) {
	t.Parallel()
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
		"to another file outside":    {filepath.Join(outside, "secret.ts"), "README.md", "README.md: is a link that leaves the schema folder"},
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
	t.Parallel()
	dir, other := folderOf(t, map[string]string{"a.ts": notes("a")}), t.TempDir()
	link(t, dir, other, "schema")
	if got := names(mustLoad(t, filepath.Join(other, "schema"))); got != "a" {
		t.Errorf("the folder declares %q", got)
	}
}

func TestAFolderIsBounded(t *testing.T) {
	t.Parallel()
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
			_, issues, err := scan(t.Context(), dir, MaxTime)
			if err != nil {
				t.Fatal(err)
			}
			if len(issues) != 1 || issues[0].Code != CodeTooLarge || !strings.HasPrefix(issues[0].String(), c.want) {
				t.Errorf("the issues are %v", issues)
			}
		})
	}
	if sources, issues, err := scan(t.Context(), folderOf(t, map[string]string{"a.ts": strings.Repeat("/", MaxFileBytes)}), MaxTime); len(sources) != 1 || len(issues) > 0 || err != nil {
		t.Errorf("a file of %d bytes is not taken: %v, %v", MaxFileBytes, issues, err)
	}
}

// However deep folders are nested, it does not take long to see that, and the rest is looked at.
func TestFoldersAreNotNestedForEver(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string { return strings.Repeat("d/", depth) }
	dir := folderOf(t, map[string]string{"a.ts": notes("a"), "z/z.ts": notes("z"), nested(maxFolders) + "b.ts": notes("b")})
	if got := names(mustLoad(t, dir)); got != "a b z" {
		t.Errorf("it declares %q", got)
	}
	if err := os.MkdirAll(filepath.Join(dir, nested(1500)), 0o700); err != nil {
		t.Skipf("this system takes no such path: %v", err)
	}
	want := strings.TrimSuffix(nested(maxFolders+1), "/") + ": is nested deeper than 32 folders; a schema folder is not that deep"
	if got := refusal(t, dir); got != want {
		t.Errorf("it is refused with\n%s", got)
	}
	// What leads back up is not followed.
	link(t, "../..", dir, "z/up")
	if got := refusal(t, dir); !strings.Contains(got, "z/up: is a link to a folder") && !strings.Contains(got, "z/up: is a link that leaves") {
		t.Errorf("it is refused with\n%s", got)
	}
}

// A walk over a folder ends with its context and with its time.
func TestAWalkEnds(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{"a.ts": notes("a"), "b/b.ts": notes("b")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := scan(ctx, dir, MaxTime); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends in %v", err)
	}
	if _, err := Load(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a load ends in %v", err)
	}
	if _, err := Files(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("a list ends in %v", err)
	}
	_, issues, err := scan(t.Context(), dir, time.Nanosecond)
	if err != nil || len(issues) != 1 || issues[0].Code != CodeTimeLimit || issues[0].Message == "" {
		t.Errorf("it ends in %v, %v", issues, err)
	}
}

// A list of files is the whole of it, or none.
func TestFilesAreListedToTheEnd(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprintf("f%d.ts", i)] = "export {};"
	}
	var refused *Error
	if _, err := Files(t.Context(), folderOf(t, many)); !errors.As(err, &refused) || !strings.Contains(err.Error(), "more than 1000 schema files") {
		t.Errorf("it ends in %v", err)
	}
	if files, err := Files(t.Context(), folderOf(t, map[string]string{"b/a.ts": "", "a.ts": "(", "c.ts": "\xff"})); err != nil || strings.Join(files, " ") != "a.ts b/a.ts" {
		t.Errorf("the files are %v, %v", files, err)
	}
}

func TestFilesThatCannotBeTakenAreTold(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{
		"a.ts": "import { x } from \"./latin\";\nexport default x;\n", "latin.ts": "export const x = \"\xe9\";\n", "c.ts": "export default 1;\n",
	})
	if err := os.Mkdir(filepath.Join(dir, "folder.ts"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := refusal(t, dir); got != "latin.ts: is not UTF-8 text" {
		t.Errorf("it is refused with\n%s", got)
	}
}

func TestAFileThatMayNotBeReadIsTold(t *testing.T) {
	t.Parallel()
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
