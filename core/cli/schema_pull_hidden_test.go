package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hiding are ways to keep a change of a file from git status.
var hiding = map[string]func(w *workTree){
	"assume-unchanged": func(w *workTree) {
		w.git("update-index", "--assume-unchanged", "svc/schema/tags.ts")
		w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
	},
	"skip-worktree": func(w *workTree) {
		w.git("update-index", "--skip-worktree", "svc/schema/tags.ts")
		w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
	},
	"ignored and untracked": func(w *workTree) {
		w.git("rm", "--quiet", "--cached", "svc/schema/tags.ts")
		w.write(".gitignore", "svc/schema/tags.ts\n")
		w.git("add", ".gitignore")
		w.git("commit", "--quiet", "-m", "Ignore")
	},
	"a filter": func(w *workTree) {
		w.write(".gitattributes", "*.ts filter=mine\n")
		w.git("config", "filter.mine.clean", "grep -v mine")
		w.git("add", ".")
		w.git("commit", "--quiet", "-m", "Filter")
		w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
		w.git("add", ".")
	},
}

// A pull asks about a file that git does not hold byte for byte, whatever git status says of it.
func TestPullAsksAboutWhatGitStatusHides(t *testing.T) {
	ways := map[string]func(w *workTree){
		"line ends": func(w *workTree) {
			w.git("config", "core.autocrlf", "true")
			w.write("svc/schema/tags.ts", strings.ReplaceAll(w.read("svc/schema/tags.ts"), "\n", "\r\n"))
			w.git("add", ".")
		},
	}
	for name, hide := range hiding {
		ways[name] = hide
	}
	for name, hide := range ways {
		t.Run(name, func(t *testing.T) {
			w := newWorkTree(t, changedTags)
			hide(w)
			if said := w.git("status", "--porcelain"); said != "" {
				t.Fatalf("git status says %s", said)
			}
			before := w.state()
			p := w.svc("schema", "pull")
			if p.exit != ExitUsage || !strings.HasPrefix(p.err, "error: overwriting or removing tags.ts in svc/schema, which git does not hold as it is,") || w.state() != before {
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
			if p := w.svc("schema", "pull", "--yes"); p.exit != ExitOK {
				t.Errorf("with --yes: exit %d: %s%s", p.exit, p.out, p.err)
			}
		})
	}
}

// A pull request is worked out from the folder, so the folder must be what is committed.
func TestOpenPRRefusesWhatGitStatusHides(t *testing.T) {
	ways := map[string]func(w *workTree){
		"removed and overlooked": func(w *workTree) {
			w.git("update-index", "--skip-worktree", "svc/schema/tags.ts")
			if err := os.Remove(filepath.Join(w.dir, "svc/schema/tags.ts")); err != nil {
				w.t.Fatal(err)
			}
		},
	}
	for name, hide := range hiding {
		ways[name] = hide
	}
	for name, hide := range ways {
		t.Run(name, func(t *testing.T) {
			w := newWorkTree(t, changedTags)
			hide(w)
			before := w.state()
			p := w.pull()
			if p.exit != ExitFailed || !strings.Contains(p.err, "is not as it is committed, though git status does not say so; nothing was done") || !strings.Contains(p.err, "\n  svc/schema/tags.ts  is ") {
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
			if len(w.branches()) != 0 || w.state() != before || len(w.bodies) > 0 {
				t.Errorf("branches %v, asked %v", w.branches(), w.bodies)
			}
		})
	}
	t.Run("other line ends are no difference", func(t *testing.T) {
		w := newWorkTree(t, changedTags)
		w.git("config", "core.autocrlf", "true")
		w.write("svc/schema/tags.ts", strings.ReplaceAll(w.read("svc/schema/tags.ts"), "\n", "\r\n"))
		w.git("add", ".")
		if p := w.pull(); p.exit != ExitOK || len(w.branches()) != 1 {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
	})
}

// What git would not take as a file of the repository is no part of a pull request.
func TestOpenPRCommitsNothingThatGitWouldNot(t *testing.T) {
	submodule := func(w *workTree, at string) {
		w.git("rm", "--quiet", "-r", "svc")
		w.git("update-index", "--add", "--cacheinfo", modeSubmodule+","+w.git("rev-parse", "HEAD")+","+at)
		w.git("commit", "--quiet", "-m", "Move")
		if err := os.MkdirAll(filepath.Join(w.dir, at), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		make func(w *workTree)
		says string
	}{
		{"a new file that is ignored", func(w *workTree) { w.write(".gitignore", "authors.ts\n") },
			"svc/schema/authors.ts  is ignored by git, and what is ignored is not committed unasked"},
		{"the folder is a submodule", func(w *workTree) { submodule(w, "svc/schema") }, "svc/schema/authors.ts  is in the submodule svc/schema, whose files"},
		{"it is in one", func(w *workTree) { submodule(w, "svc") }, "svc/schema/authors.ts  is in the submodule svc, whose files"},
		{"a new file has its name", func(w *workTree) {
			w.git("update-index", "--add", "--cacheinfo", modeSubmodule+","+w.git("rev-parse", "HEAD")+",svc/schema/authors.ts")
			w.git("commit", "--quiet", "-m", "Move")
			w.git("update-index", "--skip-worktree", "svc/schema/authors.ts")
		}, "is committed, and not in the folder"},
		{"a link", func(w *workTree) {
			w.git("mv", "svc/schema/tags.ts", "svc/schema/.tags.ts")
			if err := os.Symlink(".tags.ts", filepath.Join(w.dir, "svc/schema/tags.ts")); err != nil {
				w.t.Skipf("this system makes no symbolic links: %v", err)
			}
			w.git("add", ".")
			w.git("commit", "--quiet", "-m", "Link")
		}, "svc/schema/tags.ts  is a symbolic link, which would become a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkTree(t, authorsJSON, changedTags)
			tt.make(w)
			p := w.pull()
			if p.exit != ExitFailed || !strings.Contains(p.err, tt.says) || !strings.Contains(p.err, "nothing was done") || len(w.branches()) != 0 || len(w.forge.asked) != 0 {
				t.Errorf("exit %d, branches %v: %s%s", p.exit, w.branches(), p.out, p.err)
			}
		})
	}
	t.Run("types for editors that are ignored are left out", func(t *testing.T) {
		w := newWorkTree(t, authorsJSON)
		w.write(".gitignore", ".svc\n")
		p := w.pull("--dir", "new", "--json")
		if p.exit != ExitOK || !strings.Contains(p.out, `"editorFiles":["tsconfig.json"]`) {
			t.Fatalf("exit %d: %s%s", p.exit, p.out, p.err)
		}
		if got := git(t, w.remote, "ls-tree", "-r", "--name-only", w.branches()[0], "new"); got != "new/authors.ts\nnew/tsconfig.json" {
			t.Errorf("the branch has %s", got)
		}
	})
	t.Run("a file that may be executed stays one, in a folder that is hidden", func(t *testing.T) {
		w := newWorkTree(t, changedTags)
		w.git("mv", "svc/schema", ".schemas")
		w.git("update-index", "--chmod=+x", ".schemas/tags.ts")
		if err := os.Chmod(filepath.Join(w.dir, ".schemas/tags.ts"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.git("commit", "--quiet", "-m", "Move")
		if p := w.pull("--dir", ".schemas"); p.exit != ExitOK {
			t.Fatalf("exit %d: %s%s", p.exit, p.out, p.err)
		}
		if got := git(t, w.remote, "diff", "--raw", "--abbrev=1", w.git("rev-parse", "HEAD"), w.branches()[0]); !strings.HasPrefix(got, ":100755 100755 ") || !strings.HasSuffix(got, "M\t.schemas/tags.ts") {
			t.Errorf("the branch changes %s", got)
		}
	})
}
