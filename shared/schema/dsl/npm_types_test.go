package dsl

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// folder makes a folder as an author has one: files by name, and the package where editors and tsc find it.
func folder(t *testing.T, files fs.FS) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "svc"), Package); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compile runs tsc --strict over the files of a folder and returns what it reports, a finding a line.
func compile(t *testing.T, dir string, options ...string) string {
	t.Helper()
	arguments := append([]string{"--strict", "--noEmit", "--allowJs", "--checkJs", "--pretty", "false", "--target", "es2020"}, options...)
	count := len(arguments)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err == nil && isSchemaFile(path) {
			arguments = append(arguments, path)
		}
		return err
	})
	if err != nil || len(arguments) == count {
		t.Fatalf("%v, %d files to compile", err, len(arguments)-count)
	}
	tsc := exec.Command("tsc", arguments...)
	tsc.Dir = dir
	out, err := tsc.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("tsc, which deploy/local/install.sh test installs: %v", err)
	}
	if err != nil && len(out) == 0 {
		t.Fatalf("tsc fails and says nothing: %v", err)
	}
	return string(out)
}

func TestExamplesCompile(t *testing.T) {
	t.Parallel()
	for _, options := range [][]string{
		{"--module", "es2020", "--moduleResolution", "node"},
		{"--module", "node16", "--moduleResolution", "node16"},
		{"--module", "es2020", "--moduleResolution", "node", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"},
	} {
		t.Run(strings.Join(options[2:], " "), func(t *testing.T) {
			t.Parallel()
			dir := folder(t, os.DirFS("testdata/good"))
			if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if out := compile(t, dir, options...); out != "" {
				t.Error(out)
			}
		})
	}
}

// Every example of a mistake is preceded by "@ts-expect-error: the reason", with which tsc accepts nothing but an error
// on the next line.
var expectation = regexp.MustCompile(`(?m)^\s*// @ts-expect-error: \S.*$`)

func TestMistakesAreCompileErrors(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/refused/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if expected := len(expectation.FindAll(text, -1)); expected == 0 || expected != strings.Count(string(text), "@ts-") {
			t.Errorf("%s: every mistake has a line of its own that gives the reason; %d of %d do", file, expected, strings.Count(string(text), "@ts-"))
		}
	}
	if out := compile(t, folder(t, os.DirFS("testdata/refused")), "--moduleResolution", "node"); out != "" {
		t.Error(out)
	}
}

// A mistake that compiles, and an example that does not, would be noticed.
func TestExpectationsAreChecked(t *testing.T) {
	t.Parallel()
	const text = `import { text } from "svc/schema";
// @ts-expect-error: nothing is wrong here
text({ maxLength: 80 });
text({ maxLenght: 80 });
`
	out := compile(t, folder(t, fstest.MapFS{"a.ts": {Data: []byte(text)}}), "--moduleResolution", "node")
	if !strings.Contains(out, "a.ts(2,1): error") || !strings.Contains(out, "a.ts(4,8): error") {
		t.Errorf("got:\n%s", out)
	}
}
