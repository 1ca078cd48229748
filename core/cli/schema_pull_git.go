package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository is a git repository with the schema folder in it.
type repository struct {
	top      string // the work tree
	folder   string // the schema folder from top, with slashes; "." is top itself
	terminal bool   // a person may be asked for a password
	branch   string // empty where none is checked out
}

// repositoryOf finds the repository of the schema folder, which itself may be missing.
func repositoryOf(ctx context.Context, dir string, terminal bool) (*repository, error) {
	there := dir
	for info, err := os.Stat(there); (err != nil || !info.IsDir()) && there != filepath.Dir(there); info, err = os.Stat(there) {
		there = filepath.Dir(there)
	}
	r := &repository{top: there, terminal: terminal}
	said, err := r.git(ctx, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	missing, err := filepath.Rel(there, dir)
	if err != nil {
		return nil, err
	}
	top, prefix, _ := strings.Cut(said, "\n")
	r.top, r.folder = top, path.Join(prefix, filepath.ToSlash(missing))
	return r, nil
}

// cleanRepository finds the repository that a pull request comes from, and refuses uncommitted changes in the folder.
func (a *app) cleanRepository(ctx context.Context, dir string) (*repository, error) {
	r, err := repositoryOf(ctx, dir, a.InTerminal)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, failed("a pull request comes from a git repository, and the schema folder %s is in none: %v", a.shown(dir), err).
			hinted(a.typed("schema", "pull") + " writes the files without a pull request")
	}
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return nil, failed("the git repository %s has no commit yet that a branch could start from", r.top).
			hinted("commit something first, if only a README")
	}
	if r.branch, err = r.optional(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
		return nil, err
	}
	changed, err := r.uncommitted(ctx, nil)
	if err != nil || len(changed) == 0 {
		return r, err
	}
	f := failed("the schema folder %s has uncommitted changes; nothing was done", a.shown(dir)).hinted("commit or stash them first")
	for _, file := range changed {
		f.issues = append(f.issues, issue{File: a.opened(filepath.Join(dir, filepath.FromSlash(file))), Message: "is not committed"})
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

// remote is where branches of this one are pushed: the remote that it follows, or origin.
func (r *repository) remote(ctx context.Context) (string, error) {
	name, err := r.optional(ctx, "config", "branch."+r.branch+".remote")
	if name == "." { // it follows another branch of this repository
		name = ""
	}
	return cmp.Or(name, "origin"), err
}

// base is the branch at the remote that this one follows, or the remote's default branch where none is checked out.
func (r *repository) base(ctx context.Context, remote string) (string, error) {
	merge, err := r.optional(ctx, "config", "branch."+r.branch+".merge")
	name := cmp.Or(strings.TrimPrefix(merge, "refs/heads/"), r.branch)
	if name == "" && err == nil {
		merge, err = r.git(ctx, "ls-remote", "--symref", remote, "HEAD")
		name, _, _ = strings.Cut(strings.TrimPrefix(merge, "ref: refs/heads/"), "\t")
	}
	return name, err
}

// optional is git for a question that has no answer where git ends with 1.
func (r *repository) optional(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return out, err
}

// git runs git in the work tree and returns what it prints, without the last line end. Hooks are left out: they expect the
// checkout that they were set up for.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	global := []string{"-C", r.top, "--no-optional-locks", "--literal-pathspecs", "-c", "core.hooksPath=" + os.DevNull}
	cmd := exec.CommandContext(ctx, "git", append(global, args...)...)
	for _, variable := range os.Environ() { // those that a hook of git is run with name another work tree
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE":
		default:
			cmd.Env = append(cmd.Env, variable)
		}
	}
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
