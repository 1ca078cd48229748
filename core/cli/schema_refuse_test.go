package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Where there is nothing that a pull request could come from, svc says so itself, and says what does work.
func TestOpenPRNeedsARepository(t *testing.T) {
	const instead = `hint: "svc schema pull" writes the files without a pull request`
	for _, tt := range []struct {
		name string
		make func(d *desk)
		says []string
	}{
		{"no repository", func(*desk) {}, []string{"error: the schema folder svc/schema is in no git repository, and a pull request comes from one [FAILED]", instead}},
		{"no work tree", func(d *desk) { git(d.t, d.dir, "init", "--quiet", "--bare") },
			[]string{"the schema folder svc/schema is in a git repository without a work tree", instead}},
		{"no commit", func(d *desk) { git(d.t, d.dir, "init", "--quiet") },
			[]string{"error: the git repository {dir} has no commit yet that a branch could start from [FAILED]", "hint: commit something first"}},
		{"no git", func(d *desk) { d.t.Setenv("PATH", d.dir) }, []string{"there is no program git in PATH", instead}},
		{"a repository that git refuses", func(d *desk) { d.write(".git", "gitdir: nowhere\n") }, []string{"nowhere"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.deploy(tagsJSON)
			tt.make(d)
			p := d.svc("schema", "pull", "--open-pr")
			for _, part := range tt.says {
				if !strings.Contains(p.err, part) {
					t.Errorf("no %q in: %s", part, p.err)
				}
			}
			if p.exit != ExitFailed || strings.Contains(p.err, "fatal") || strings.Contains(p.err, "rev-parse") {
				t.Errorf("exit %d: %s", p.exit, p.err)
			}
			if len(d.bodies) > 0 {
				t.Errorf("the service was asked %v", d.bodies)
			}
		})
	}
}

// What is said to be typed does what is said, wherever one types it.
func TestWhatGitIsToBeToldWorks(t *testing.T) {
	w := newWorkTree(t, changedTags)
	w.write("svc/schema/tags.ts", "x")
	w.write("svc/schema/notes.txt", "x")
	w.write("README.md", "Changed, and to stay as it is.\n")
	w.write("deep/er/.keep", "")
	for _, from := range []string{"deep/er", "../" + filepath.Base(w.dir)} {
		d := w.deskAt(filepath.Join(w.dir, from))
		p := d.svc("schema", "pull", "--open-pr", "--dir", filepath.Join(w.dir, "svc/schema"))
		_, after, ok := strings.Cut(p.err, "put them away with \"git ")
		command, _, _ := strings.Cut(after, "\"")
		if p.exit != ExitFailed || !ok {
			t.Fatalf("from %s: exit %d: %s", from, p.exit, p.err)
		}
		stash := exec.Command("git", words(command)...)
		stash.Dir = d.dir
		if said, err := stash.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", command, err, said)
		}
		if p := d.svc("schema", "pull", "--open-pr", "--dir", filepath.Join(w.dir, "svc/schema")); p.exit != ExitOK {
			t.Errorf("from %s: exit %d: %s", from, p.exit, p.err)
		}
		if w.read("README.md") != "Changed, and to stay as it is.\n" {
			t.Error("something else was put away")
		}
		w.git("stash", "pop", "--quiet")
	}
}

func TestGitIsToldWhereWhenOneIsElsewhere(t *testing.T) {
	r := &repository{top: "/srv/my site", elsewhere: true}
	if got := r.typed("remote", "add", "origin", "URL"); got != `"git -C '/srv/my site' remote add origin URL"` {
		t.Error(got)
	}
}
