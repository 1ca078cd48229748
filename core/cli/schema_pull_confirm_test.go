package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pull into a folder with changes that are not committed has to be confirmed: nothing is lost, and nothing is mixed.
func TestPullAsksBeforeItMixesWithUncommittedChanges(t *testing.T) {
	t.Parallel()
	const question = "error: pulling over changes of svc/schema that are not committed "
	old := typed(t, `{"name": "old", "fields": {}}`)
	for _, tt := range []struct {
		name   string
		change func(w *workTree)
		asks   string // empty where it does not
	}{
		{"all is committed", func(*workTree) {}, ""},
		{"a file elsewhere is changed", func(w *workTree) { w.write("README.md", "x") }, ""},
		{"an ignored file that stays", func(w *workTree) {
			w.write(".gitignore", "notes.txt\n")
			w.write("svc/schema/notes.txt", "x")
		}, ""},
		{"the file is changed", func(w *workTree) { w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n") }, "(tags.ts) needs to be confirmed"},
		{"another file is new", func(w *workTree) { w.write("svc/schema/deep/notes.txt", "x") }, "(deep/notes.txt) needs"},
		{"a change that is staged alone", func(w *workTree) {
			w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
			w.git("add", ".")
		}, "(tags.ts) needs"},
		{"a file to remove is not committed", func(w *workTree) { w.write("svc/schema/old.ts", old) }, "(old.ts) needs"},
		{"a file to remove that git ignores", func(w *workTree) {
			w.write("svc/schema/old.ts", old)
			w.write(".gitignore", "old.ts\n")
		}, "(old.ts) needs"},
		{"a folder that git ignores", func(w *workTree) {
			w.git("rm", "--quiet", "-r", "--cached", "svc")
			w.write(".gitignore", "svc\n")
			w.write("svc/schema/notes.txt", "x")
			w.git("add", ".gitignore")
			w.git("commit", "--quiet", "-m", "Ignore")
		}, "(tags.ts) needs"},
		{"two of them", func(w *workTree) {
			w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
			w.write("svc/schema/old.ts", old)
		}, "(old.ts, tags.ts) needs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkTree(t, changedTags)
			tt.change(w)
			before := w.state()
			p := w.svc("schema", "pull")
			if tt.asks == "" {
				if p.exit != ExitOK || w.read("svc/schema/tags.ts") != typed(t, changedTags) {
					t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
				}
				return
			}
			if p.exit != ExitUsage || !strings.HasPrefix(p.err, question+tt.asks) || w.state() != before {
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
			if !strings.Contains(p.err, "hint: pass --yes") {
				t.Errorf("it is not said what to do: %s", p.err)
			}
			if p := w.call(call{args: []string{"schema", "pull"}, terminal: true, in: "n\n"}); p.exit != ExitFailed || w.state() != before {
				t.Errorf("declined: exit %d: %s%s", p.exit, p.out, p.err)
			}
			if p := w.svc("schema", "pull", "--yes"); p.exit != ExitOK {
				t.Errorf("with --yes: exit %d: %s%s", p.exit, p.out, p.err)
			}
		})
	}
}

// What cannot be written is named, and no part of it is left behind.
func TestPullSaysWhichFileItCannotWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &desk{t: t, dir: dir}
	d.write("a.ts", "a")
	d.write("folder.ts/file", "x")
	if err := os.Chmod(filepath.Join(dir, "a.ts"), 0o751); err != nil {
		t.Fatal(err)
	}
	a := &app{World: World{Dir: dir, Env: func(string) string { return "" }}}
	err := a.writePulled(dir, []pulledFile{
		{File: "a.ts", Outcome: fileUpdated, text: []byte("new")},
		{File: "folder.ts", Outcome: fileUpdated, text: []byte("new")},
	})
	var f *failure
	if !errors.As(err, &f) || !strings.HasPrefix(f.Detail, "folder.ts: ") || !strings.Contains(f.Hint, "--yes") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"a.ts": "new", "folder.ts/file": "x"}, d.files(".")); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.ts")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}
