package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"svc/shared/problem"
	"svc/shared/schema"
)

// repository is a git repository with the schema folder in it.
type repository struct {
	top      string // the work tree
	folder   string // the schema folder from top, with slashes; "." is top itself
	terminal bool   // a person may be asked for a password
}

// repositoryOf finds the repository of the schema folder, which itself may be missing.
func (a *app) repositoryOf(ctx context.Context, dir string) (*repository, error) {
	there := dir
	for info, err := os.Stat(there); (err != nil || !info.IsDir()) && there != filepath.Dir(there); info, err = os.Stat(there) {
		there = filepath.Dir(there)
	}
	r := &repository{top: there, terminal: a.InTerminal}
	said, err := r.git(ctx, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	missing, err := filepath.Rel(there, dir)
	top, prefix, _ := strings.Cut(said, "\n")
	r.top, r.folder = top, path.Join(prefix, filepath.ToSlash(missing))
	return r, err
}

// cleanRepository finds the repository that a pull request comes from, and refuses uncommitted changes in the folder.
func (a *app) cleanRepository(ctx context.Context, dir string) (*repository, error) {
	r, err := a.repositoryOf(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("finding the git repository that a pull request comes from: %w", err)
	}
	changed, err := r.uncommitted(ctx, nil)
	if err != nil || len(changed) == 0 {
		return r, err
	}
	f := failed("the schema folder %s has uncommitted changes; nothing was done", a.shown(dir)).hinted("commit or stash them first")
	for _, file := range changed {
		at := a.shown(filepath.Join(dir, filepath.FromSlash(file)))
		f.Errors = append(f.Errors, issue{File: at, Issue: problem.Issue{Message: "is not committed", Code: "uncommitted"}})
	}
	return nil, f
}

// uncommitted lists the files of the schema folder with changes that are not committed, and those of some others that git
// ignores.
func (r *repository) uncommitted(ctx context.Context, others []string) ([]string, error) {
	said, err := r.git(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored", "--", r.folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for line := range strings.SplitSeq(said, "\x00") {
		const state = len("?? ")
		if len(line) <= state {
			continue
		}
		file := strings.TrimPrefix(line[state:], r.folder+"/")
		if line[:state] != "!! " || slices.Contains(others, file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files, nil
}

// worktree makes a temporary work tree of HEAD, so that the user's is not touched. remove has to be called.
func (r *repository) worktree(ctx context.Context) (tree *repository, remove func(), err error) {
	dir, err := os.MkdirTemp("", "svc-pull-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for a work tree: %w", err)
	}
	remove = func() {
		// Also after an interrupt. Twice --force removes one that was left half made.
		r.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", "--force", dir) //nolint:errcheck // git prunes it later
		os.RemoveAll(dir)                                                                  //nolint:errcheck // it is temporary
	}
	if _, err := r.git(ctx, "worktree", "add", "--quiet", "--detach", dir, "HEAD"); err != nil {
		remove()
		return nil, nil, err
	}
	there := *r
	there.top = dir
	return &there, remove, nil
}

// upstream is the remote and its branch that the current branch follows; where it follows none, the default branch of origin.
func (r *repository) upstream(ctx context.Context) (remote, branch string, err error) {
	if said, err := r.git(ctx, "rev-parse", "--abbrev-ref", "@{upstream}"); err == nil {
		if remote, branch, found := strings.Cut(said, "/"); found {
			return remote, branch, nil
		}
	}
	said, err := r.git(ctx, "ls-remote", "--symref", "origin", "HEAD")
	branch, _, _ = strings.Cut(strings.TrimPrefix(said, "ref: refs/heads/"), "\t")
	return "origin", branch, err
}

// git runs git in the work tree and returns what it prints, without the last line end. Hooks are left out: they expect the
// checkout that they were set up for.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	global := []string{"-C", r.top, "--no-optional-locks", "--literal-pathspecs", "-c", "core.hooksPath=" + os.DevNull}
	cmd := exec.CommandContext(ctx, "git", append(global, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // a hook that runs this names another work tree
		return strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_WORK_TREE=") || strings.HasPrefix(v, "GIT_INDEX_FILE=")
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	if !r.terminal {
		cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &exit):
		return "", fmt.Errorf("git %s: %s (%w)", args[0], strings.TrimSpace(string(exit.Stderr)), err)
	}
	return strings.TrimRight(string(out), "\n"), err
}

// openedRequest is a branch with the deployed schemas, and the pull request that proposes it.
type openedRequest struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Remote string `json:"remote"`
	// BranchOutcome is pushed or found, for a branch that was there with the same content.
	BranchOutcome string `json:"branchOutcome"`
	// Outcome is opened, found, or no_forge where none is configured: the command did not do all that it was asked for then.
	Outcome string  `json:"outcome"`
	Number  *int64  `json:"number"`
	URL     *string `json:"url"`
	// Hint says how to open it where no forge is configured.
	Hint string `json:"hint,omitempty"`
}

const (
	requestOpened = "opened"
	requestFound  = "found"
	requestNone   = "no_forge"

	branchPushed = "pushed"
	branchFound  = "found"
)

// propose commits the changes in a work tree of its own, pushes them as a branch and opens a pull request.
func (a *app) propose(ctx context.Context, r *repository, result *pullResult, deployed []*schema.Collection) error {
	tree, remove, err := r.worktree(ctx)
	if err != nil {
		return err
	}
	defer remove()
	at := filepath.Join(tree.top, filepath.FromSlash(tree.folder))
	files, _, err := a.planPull(ctx, at, result.Dir, deployed)
	if err != nil || result.setFiles(files) {
		return err
	}
	if err := a.writePulled(at, files); err != nil {
		return err
	}
	remote, base, err := r.upstream(ctx)
	if err != nil {
		return err
	}
	forge, err := a.forge(ctx, r, remote)
	if err != nil {
		return err
	}
	out := &openedRequest{Branch: branchOf(files), Remote: remote, Outcome: requestNone}
	result.PullRequest = out
	if err := tree.pushBranch(ctx, out, files); err != nil {
		return err
	}
	if forge == nil {
		out.Hint = "no forge is configured: open it by hand, or set SVC_FORGE_URL (or forgeUrl in " + projectFileName + ") and SVC_FORGE_TOKEN"
		return nil
	}
	if err := forge.request(ctx, out, base, files); err != nil {
		return a.explain(err).hinted("the branch " + out.Branch + " is at " + remote + "; the same command finds it and tries again")
	}
	return nil
}

// branchOf names a branch after what it changes: the same change has the same branch, no matter who makes it.
func branchOf(files []pulledFile) string {
	sum := sha256.New()
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(sum, "%s %d %s\n%s\n", f.Outcome, len(f.text), f.File, f.text)
		}
	}
	return "svc/schema-" + hex.EncodeToString(sum.Sum(nil))[:12]
}

// pushBranch commits the files and pushes the commit, unless the remote has the branch: by its name, it has this change.
func (r *repository) pushBranch(ctx context.Context, out *openedRequest, files []pulledFile) error {
	ref := "refs/heads/" + out.Branch
	there, err := r.git(ctx, "ls-remote", "--heads", out.Remote, ref)
	if err != nil {
		return fmt.Errorf("asking the remote %s for the branch: %w", out.Remote, err)
	}
	if commit, _, found := strings.Cut(there, "\t"); found {
		out.Commit, out.BranchOutcome = commit, branchFound
		return nil
	}
	add := []string{"add", "--all", "--"}
	for _, f := range files {
		if f.changes() {
			add = append(add, path.Join(r.folder, f.File))
		}
	}
	for _, args := range [][]string{add, {"commit", "--quiet", "--message", requestTitle + "\n\n" + changeList(files, "")}, {"push", "--quiet", out.Remote, "HEAD:" + ref}} {
		if _, err := r.git(ctx, args...); err != nil {
			return err
		}
	}
	out.BranchOutcome = branchPushed
	out.Commit, err = r.git(ctx, "rev-parse", "HEAD")
	return err
}

const requestTitle = "Pull the deployed schemas"

// changeList is a line for every file that changes, with a mark around its name.
func changeList(files []pulledFile, mark string) string {
	var b strings.Builder
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(&b, "- %s%s%s: %s\n", mark, f.File, mark, pullMarks[f.Outcome].text)
		}
	}
	return b.String()
}

func (o *openedRequest) show(p *page) {
	state := map[string]string{branchPushed: "pushed to ", branchFound: "is there already at "}[o.BranchOutcome]
	p.line("branch %s %s%s", p.paint(bold, o.Branch), state, o.Remote)
	switch o.Outcome {
	case requestOpened:
		p.line("pull request %s: %s", p.paint(green, "opened"), *o.URL)
	case requestFound:
		p.line("pull request is open already: %s", *o.URL)
	case requestNone:
		p.labelled(yellow, "no pull request:", o.Hint)
	}
}
