package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where there is nothing that a pull request could come from, what git says of it is told.
func TestOpenPRNeedsARepository(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(d *desk)
		says []string
	}{
		{"no repository", func(*desk) {}, []string{"error: finding the git repository that a pull request comes from: ", "not a git repository"}},
		{"no work tree", func(d *desk) { git(d.t, d.dir, "init", "--quiet", "--bare") },
			[]string{"must be run in a work tree"}},
		{"no commit", func(d *desk) { git(d.t, d.dir, "init", "--quiet") },
			[]string{"error: git worktree: ", "HEAD"}},
		{"a repository that git refuses", func(d *desk) { d.write(".git", "gitdir: nowhere\n") }, []string{"nowhere"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.deploy(tagsJSON)
			tt.make(d)
			p := d.svc("schema", "pull", "--open-pr")
			for _, part := range tt.says {
				if !strings.Contains(p.err, part) {
					t.Errorf("no %q in: %s", part, p.err)
				}
			}
			if p.exit != ExitFailed {
				t.Errorf("exit %d: %s", p.exit, p.err)
			}
		})
	}
}

// It runs alone, as it changes the environment of this process.
func TestOpenPRNeedsGit(t *testing.T) {
	d := newDesk(t)
	t.Setenv("PATH", d.dir)
	if p := d.svc("schema", "pull", "--open-pr"); p.exit != ExitFailed || !strings.Contains(p.err, `"git": executable file not found`) {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}

// A hook of git is told a repository and an index, which are those of the user's checkout.
func TestOpenPRInAHook(t *testing.T) {
	w := newWorkTree(t, changedTags)
	t.Setenv("GIT_DIR", filepath.Join(w.dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(w.dir, ".git", "index"))
	index := w.read(".git/index")
	if p := w.pull(); p.exit != ExitOK || w.read(".git/index") != index {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}
