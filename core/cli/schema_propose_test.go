package cli

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changedTags differ from what newWorkTree has in its folder.
var changedTags = strings.Replace(tagsJSON, `"required": true`, `"maxLength": 9`, 1)

func TestOpenPRProposesWhatIsDeployed(t *testing.T) {
	t.Parallel()
	w := newWorkTree(t, authorsJSON, changedTags)
	w.write("svc/schema/old.ts", typed(t, `{"name": "old", "fields": {}}`))
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "Add")
	w.write("README.md", "Changed, and none of its business.\n")
	w.write("new.txt", "x")
	w.git("add", "new.txt")
	for _, hook := range []string{"post-checkout", "pre-commit", "pre-push"} { // they expect the user's checkout
		w.program(filepath.Join(w.dir, ".git", "hooks", hook), "#!/bin/sh\nexit 1\n")
	}
	before := w.state()
	p := w.pull()
	branches := w.branches()
	if p.exit != ExitOK || len(branches) != 1 || !strings.HasPrefix(branches[0], "svc/schema-") {
		t.Fatalf("exit %d, branches %v: %s%s", p.exit, branches, p.out, p.err)
	}
	for _, part := range []string{"authors.ts", "tags: changed", "old: removed", "branch " + branches[0] + " pushed to origin", "pull request opened: https://forge.example/press/site/pull/7"} {
		if !strings.Contains(p.out, part) {
			t.Errorf("no %q in: %s", part, p.out)
		}
	}
	if diff := cmp.Diff(before, w.state()); diff != "" {
		t.Errorf("the work tree is not as it was:\n%s", diff)
	}
	changed := git(t, w.remote, "diff", "--name-status", w.git("rev-parse", "HEAD"), branches[0])
	if want := "A\tsvc/schema/authors.ts\nD\tsvc/schema/old.ts\nM\tsvc/schema/tags.ts"; changed != want {
		t.Errorf("the branch changes:\n%s", changed)
	}
	if got := git(t, w.remote, "show", branches[0]+":svc/schema/tags.ts") + "\n"; got != typed(t, changedTags) {
		t.Errorf("the branch has %s", got)
	}
	opened := w.forge.opened
	if opened["head"] != branches[0] || opened["base"] != "main" || opened["title"] == "" || !strings.Contains(opened["body"], "`authors.ts`") {
		t.Errorf("asked for %v", opened)
	}
}

func TestOpenPRFindsWhatIsThereAlready(t *testing.T) {
	t.Parallel()
	w := newWorkTree(t, changedTags)
	first := w.pull()
	w.write("README.md", "Meanwhile.\n")
	w.git("commit", "--quiet", "-am", "Go on")
	second := w.pull("--json")
	if first.exit != ExitOK || second.exit != ExitOK || len(w.branches()) != 1 || len(w.forge.open) != 1 {
		t.Fatalf("branches %v, requests %v\n%s%s\n%s%s", w.branches(), w.forge.open, first.out, first.err, second.out, second.err)
	}
	if !strings.Contains(second.out, `"branchOutcome":"found","outcome":"found","number":7,"url":"https://forge.example/press/site/pull/7"`) {
		t.Errorf("said %s", second.out)
	}
	query := url.Values{"state": {"open"}, "head": {"press:" + w.branches()[0]}, "per_page": {"100"}}.Encode()
	if !slices.Contains(w.forge.asked, "GET /api/v3/repos/press/site/pulls?"+query) {
		t.Errorf("asked %v", w.forge.asked)
	}
}

func TestOpenPRDoesNothingWhereNothingDiffers(t *testing.T) {
	t.Parallel()
	w := newWorkTree(t, tagsJSON)
	delete(w.env, "SVC_FORGE_URL") // nor is any needed
	p := w.pull()
	if p.exit != ExitOK || !strings.HasPrefix(p.out, "In sync") || len(w.branches()) != 0 || len(w.forge.asked) != 0 {
		t.Errorf("exit %d, branches %v, asked %v: %s%s", p.exit, w.branches(), w.forge.asked, p.out, p.err)
	}
}

func TestOpenPRRefusesUncommittedChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *workTree){
		"changed":   func(w *workTree) { w.write("svc/schema/tags.ts", "x") },
		"staged":    func(w *workTree) { w.write("svc/schema/tags.ts", "x"); w.git("add", ".") },
		"untracked": func(w *workTree) { w.write("svc/schema/deep/notes.txt", "x") },
		"removed":   func(w *workTree) { w.git("rm", "--quiet", "svc/schema/tags.ts") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkTree(t, changedTags)
			change(w)
			before := w.state()
			p := w.pull()
			if p.exit != ExitFailed || !strings.Contains(p.err, "has uncommitted changes; nothing was done") || !strings.Contains(p.err, "svc/schema/") {
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
			if len(w.branches()) != 0 || w.state() != before {
				t.Errorf("branches %v\n%s", w.branches(), cmp.Diff(before, w.state()))
			}
		})
	}
}

// The branch is there for those who open the pull request by hand, and no one is told that all was done: the command succeeds
// once there is a forge.
func TestOpenPRWithoutAForgePushesTheBranchAndFails(t *testing.T) {
	t.Parallel()
	const says = "no pull request: no forge is configured: open it by hand, or set SVC_FORGE_URL"
	for _, missing := range []string{"SVC_FORGE_URL", "SVC_FORGE_TOKEN"} {
		w := newWorkTree(t, changedTags)
		had := w.env[missing]
		delete(w.env, missing)
		p := w.pull()
		if p.exit != ExitFailed || len(w.branches()) != 1 || !strings.Contains(p.out, "pushed to origin") || !strings.Contains(p.out, says) {
			t.Errorf("exit %d, branches %v: %s%s", p.exit, w.branches(), p.out, p.err)
		}
		p = w.pull("--json")
		if p.exit != ExitFailed || !strings.Contains(p.out, `"branchOutcome":"found","outcome":"no_forge","number":null,"url":null,"hint":"`) {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
		if len(w.forge.asked) != 0 {
			t.Errorf("asked %v", w.forge.asked)
		}
		w.env[missing] = had
		if p := w.pull(); p.exit != ExitOK || len(w.branches()) != 1 || len(w.forge.open) != 1 {
			t.Errorf("exit %d, branches %v: %s%s", p.exit, w.branches(), p.out, p.err)
		}
	}
}

func TestOpenPRTakesTheForgeFromTheProjectFile(t *testing.T) {
	t.Parallel()
	w := newWorkTree(t, changedTags)
	w.write(".svc.json", `{"forgeUrl": "`+w.env["SVC_FORGE_URL"]+`"}`)
	delete(w.env, "SVC_FORGE_URL")
	if p := w.pull(); p.exit != ExitOK || len(w.forge.open) != 1 {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	// The user's own token goes only where the user says.
	delete(w.env, "SVC_FORGE_TOKEN")
	w.write("home/.config/svc/config.json", `{"forgeToken": "`+forgeToken+`", "forgeUrl": "https://mine.example/api/v3"}`)
	asked := len(w.forge.asked)
	if p := w.pull(); p.exit != ExitUsage || !strings.Contains(p.err, "is not for ") || len(w.forge.asked) != asked {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

// What fails at the forge or at the remote leaves the work tree as it was, and the same command can go on.
func TestOpenPRFailsWithoutATrace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		spoil    func(w *workTree)
		exit     Exit
		says     string
		branches int
	}{
		{"the remote is gone", func(w *workTree) {
			w.git("remote", "set-url", "origin", filepath.Join(w.dir, "nowhere/press/site.git"))
		}, ExitFailed, "git ls-remote", 0},
		{"the remote refuses the push", func(w *workTree) {
			w.program(filepath.Join(w.remote, "hooks", "pre-receive"), "#!/bin/sh\necho not in here >&2\nexit 1\n")
		}, ExitFailed, "not in here", 0},
		{"no remote", func(w *workTree) { w.git("remote", "remove", "origin") }, ExitFailed, "'origin' does not appear to be a git repository", 0},
		{"no name of a committer", func(w *workTree) {
			w.git("config", "user.useConfigOnly", "true")
			w.git("config", "--unset", "user.email")
		}, ExitFailed, "git commit", 0},
		{"a token that is not good", func(w *workTree) { w.env["SVC_FORGE_TOKEN"] = "other" }, ExitCredential, `{"message":"Bad credentials"}`, 1},
		{"the forge refuses", func(w *workTree) {
			w.forge.refuse = func(r *http.Request) (int, string) {
				if r.Method == http.MethodPost {
					return 422, `{"message":"Validation Failed","errors":[{"message":"No commits between main and it"}]}`
				}
				return 0, ""
			}
		}, ExitFailed, "No commits between main and it", 1},
		{"the forge is another program", func(w *workTree) {
			w.forge.refuse = func(*http.Request) (int, string) { return 200, "<html>" }
		}, ExitFailed, "something else than a forge", 1},
		{"a forge without that repository", func(w *workTree) { w.env["SVC_FORGE_URL"] += "/other" }, ExitFailed, "/other/repos/press/site/pulls", 1},
		{"an address that is none", func(w *workTree) { w.env["SVC_FORGE_URL"] = "git.example.com" }, ExitUsage, "the address of the forge", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkTree(t, changedTags)
			tt.spoil(w)
			before := w.state()
			p := w.pull()
			if p.exit != tt.exit || !strings.Contains(p.err, tt.says) || len(w.branches()) != tt.branches {
				t.Errorf("exit %d, branches %v, and not %q in: %s%s", p.exit, w.branches(), tt.says, p.out, p.err)
			}
			if diff := cmp.Diff(before, w.state()); diff != "" {
				t.Errorf("the work tree is not as it was:\n%s", diff)
			}
			if strings.Contains(p.out+p.err, forgeToken) {
				t.Error("the token is shown")
			}
			if tt.branches == 0 {
				return
			}
			if !strings.Contains(p.err, "is at origin") {
				t.Errorf("it is not said that the branch was pushed: %s", p.err)
			}
			w.forge.refuse = nil
			w.env["SVC_FORGE_TOKEN"], w.env["SVC_FORGE_URL"] = forgeToken, strings.TrimSuffix(w.env["SVC_FORGE_URL"], "/other")
			if p := w.pull(); p.exit != ExitOK || len(w.forge.open) != 1 {
				t.Errorf("again: exit %d: %s%s", p.exit, p.out, p.err)
			}
		})
	}
}

// program writes a file that may be executed.
func (w *workTree) program(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func TestOpenPRFromWhereverOneIs(t *testing.T) {
	t.Parallel()
	t.Run("no branch is checked out", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, changedTags)
		w.git("checkout", "--quiet", "--detach")
		git(t, w.remote, "branch", "trunk", "main")
		git(t, w.remote, "symbolic-ref", "HEAD", "refs/heads/trunk")
		if p := w.pull(); p.exit != ExitOK || w.forge.opened["base"] != "trunk" {
			t.Errorf("exit %d, base %q: %s%s", p.exit, w.forge.opened["base"], p.out, p.err)
		}
	})
	t.Run("a branch that follows one of another name", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, changedTags)
		w.git("checkout", "--quiet", "-b", "mine", "--track", "origin/main")
		if p := w.pull(); p.exit != ExitOK || w.forge.opened["base"] != "main" {
			t.Errorf("exit %d, base %q: %s%s", p.exit, w.forge.opened["base"], p.out, p.err)
		}
	})
	t.Run("a folder that is not there yet", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, changedTags)
		p := w.pull("--dir", "else/where")
		if p.exit != ExitOK || len(w.branches()) != 1 {
			t.Fatalf("exit %d, branches %v: %s%s", p.exit, w.branches(), p.out, p.err)
		}
		if got := git(t, w.remote, "ls-tree", "-r", "--name-only", w.branches()[0], "else"); got != "else/where/tags.ts" {
			t.Errorf("the branch has %s", got)
		}
		if _, err := os.Stat(filepath.Join(w.dir, "else")); err == nil {
			t.Error("the folder was made")
		}
	})
	t.Run("the top of the work tree is the folder", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, changedTags)
		p := w.pull("--dir", ".")
		if p.exit != ExitOK || len(w.branches()) != 1 {
			t.Fatalf("exit %d, branches %v: %s%s", p.exit, w.branches(), p.out, p.err)
		}
	})
}

// The commit is made from what is committed, as git takes it.
func TestOpenPRCommitsWhatGitTakes(t *testing.T) {
	t.Parallel()
	t.Run("a change that git is told to overlook", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, changedTags)
		w.git("update-index", "--assume-unchanged", "svc/schema/tags.ts")
		w.write("svc/schema/tags.ts", typed(t, changedTags))
		if p := w.pull(); p.exit != ExitOK || len(w.branches()) != 1 {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
	})
	t.Run("a new file that is ignored", func(t *testing.T) {
		t.Parallel()
		w := newWorkTree(t, authorsJSON, tagsJSON)
		w.write(".gitignore", "authors.ts\n")
		w.git("add", ".")
		w.git("commit", "--quiet", "-m", "Ignore")
		if p := w.pull(); p.exit != ExitFailed || !strings.Contains(p.err, "svc/schema/authors.ts") || !strings.Contains(p.err, "ignored") || len(w.branches()) != 0 {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
	})
	t.Run("a file that may be executed stays one, in a folder that is hidden", func(t *testing.T) {
		t.Parallel()
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

func TestOwnerAndRepo(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"git@git.example.com:press/site.git":              "press/site",
		"https://git.example.com/press/site":              "press/site",
		"https://user:secret@git.example.com/press/site/": "press/site",
		"ssh://git@git.example.com:2222/press/site.git":   "press/site",
		"https://example.com/git/press/my.site.git":       "press/my.site",
		"/srv/git/press/site.git":                         "press/site",
		"../press/site.git":                               "press/site",
		"git.example.com:site.git":                        "",
		"https://git.example.com/site":                    "",
		"https://git.example.com":                         "",
		"site.git":                                        "",
		"":                                                "",
		"https://git.example.com/../..":                   "",
		"https://git.example.com/a/b?c":                   "",
	} {
		owner, repo, ok := ownerAndRepo(remote)
		got := ""
		if ok {
			got = owner + "/" + repo
		}
		if got != want {
			t.Errorf("%q is %q, want %q", remote, got, want)
		}
	}
}

func FuzzOwnerAndRepo(f *testing.F) {
	for _, remote := range []string{"git@git.example.com:press/site.git", "https://git.example.com/press/site", "ssh://a@b:1/c/d.git", "/srv/git/press/site.git", "a:b", "://"} {
		f.Add(remote)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		owner, repo, ok := ownerAndRepo(remote)
		if ok && (owner == "" || repo == "" || strings.ContainsAny(owner+repo, "/?#%") || owner == ".." || repo == "..") {
			t.Errorf("%q is read as %q and %q", remote, owner, repo)
		}
	})
}
