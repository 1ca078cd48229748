package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where there is nothing that a pull request could come from, svc says so itself, and says what does work.
func TestOpenPRNeedsARepository(t *testing.T) {
	t.Parallel()
	const instead = `hint: "svc schema pull" writes the files without a pull request`
	for _, tt := range []struct {
		name string
		make func(d *desk)
		says []string
	}{
		{"no repository", func(*desk) {}, []string{"error: a pull request comes from a git repository, and the schema folder svc/schema is in none: ", "not a git repository", instead}},
		{"no work tree", func(d *desk) { git(d.t, d.dir, "init", "--quiet", "--bare") },
			[]string{"must be run in a work tree", instead}},
		{"no commit", func(d *desk) { git(d.t, d.dir, "init", "--quiet") },
			[]string{"error: the git repository {dir} has no commit yet that a branch could start from [FAILED]", "hint: commit something first"}},
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
			if len(d.bodies) > 0 {
				t.Errorf("the service was asked %v", d.bodies)
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
