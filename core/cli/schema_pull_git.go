package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// repository is a git repository with the schema folder in it. Nothing here touches its work tree or its index: a
// commit is put together beside them, so there is nothing to bring back in order when something fails.
type repository struct {
	top string // the work tree
	// folder is the schema folder from top, with slashes; "" is top itself.
	folder   string
	terminal bool // a person may be asked for a password
	branch   string
	head     string // the commit
}

// cleanRepository finds the repository of the schema folder, and refuses one with uncommitted changes in the folder.
func (a *app) cleanRepository(ctx context.Context, dir string) (*repository, error) {
	there := dir // the folder itself may be missing
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	r := &repository{top: there, terminal: a.InTerminal}
	top, err := r.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("finding the git repository of %s, where a pull request comes from: %w", a.shown(dir), err)
	}
	real, err := filepath.EvalSymlinks(there)
	if err != nil {
		return nil, fileError(a.shown(there), err)
	}
	missing, err := filepath.Rel(there, dir)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(top, filepath.Join(real, missing))
	if err != nil || !filepath.IsLocal(folder) {
		return nil, failed("the schema folder %s is not in the work tree %s", a.shown(dir), a.shown(top))
	}
	r.top, r.folder = top, strings.TrimPrefix(filepath.ToSlash(folder), ".")
	if r.head, err = r.git(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, failed("the repository %s has no commit that a branch could start from", a.shown(top))
	}
	if r.branch, err = r.optional(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
		return nil, err
	}
	return r, a.refuseChanges(ctx, r, dir)
}

func (a *app) refuseChanges(ctx context.Context, r *repository, dir string) error {
	changed, err := r.git(ctx, "status", "--porcelain", "--untracked-files=all", "--", r.path("."))
	if err != nil || changed == "" {
		return err
	}
	f := failed("the schema folder %s has uncommitted changes; nothing was done", a.shown(dir))
	f.hint = "commit them, or put them away with \"git stash --include-untracked\""
	for line := range strings.Lines(changed) {
		const state = len("?? ")
		f.issues = append(f.issues, issue{File: strings.TrimSuffix(line[min(state, len(line)):], "\n"), Message: "is not committed"})
	}
	return f
}

// path is a path below the schema folder, from the top of the repository.
func (r *repository) path(file string) string { return path.Join(r.folder, file) }

// commit makes a commit on top of HEAD with files changed, and returns its id. No branch names it yet.
func (r *repository) commit(ctx context.Context, files []pulledFile, message string) (string, error) {
	dir, err := os.MkdirTemp("", "svc-index-")
	if err != nil {
		return "", fmt.Errorf("making a folder for an index: %w", err)
	}
	defer os.RemoveAll(dir)
	index := gitInput{env: "GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := r.run(ctx, index, "read-tree", r.head); err != nil {
		return "", err
	}
	for _, f := range files {
		switch at := r.path(f.File); f.Outcome {
		case fileCreated, fileUpdated:
			blob, err := r.blob(ctx, f)
			if err != nil {
				return "", err
			}
			_, err = r.run(ctx, index, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+at)
			if err != nil {
				return "", err
			}
		case fileRemoved:
			if _, err := r.run(ctx, index, "update-index", "--force-remove", "--", at); err != nil {
				return "", err
			}
		}
	}
	tree, err := r.run(ctx, index, "write-tree")
	if err != nil {
		return "", err
	}
	return r.run(ctx, gitInput{in: message}, "commit-tree", tree, "-p", r.head, "-F", "-")
}

// blob stores the text of a file as it would be committed, and returns its id.
func (r *repository) blob(ctx context.Context, f pulledFile) (string, error) {
	return r.run(ctx, gitInput{in: string(f.text)}, "hash-object", "-w", "--stdin", "--path", r.path(f.File))
}

// holds reports whether a commit has what files are to become.
func (r *repository) holds(ctx context.Context, commit string, files []pulledFile) (bool, error) {
	for _, f := range files {
		if !f.changes() {
			continue
		}
		got, err := r.optional(ctx, "rev-parse", "--verify", "--quiet", commit+":"+r.path(f.File))
		if err != nil {
			return false, err
		}
		want := ""
		if f.Outcome != fileRemoved {
			if want, err = r.blob(ctx, f); err != nil {
				return false, err
			}
		}
		if got != want {
			return false, nil
		}
	}
	return true, nil
}

// remote is where branches of this one are pushed: the remote that it follows, else origin, else the only one.
func (r *repository) remote(ctx context.Context) (string, error) {
	if r.branch != "" {
		name, err := r.optional(ctx, "config", "branch."+r.branch+".remote")
		if err != nil || name != "" && name != "." {
			return name, err
		}
	}
	all, err := r.git(ctx, "remote")
	names := strings.Fields(all)
	if err != nil || len(names) == 1 {
		return strings.Join(names, ""), err
	}
	for _, name := range names {
		if name == "origin" {
			return name, nil
		}
	}
	return "", failed("the repository %s has no remote that the branch could be pushed to: git remote add origin URL", r.top)
}

// base is the branch at the remote that this one follows; it is empty where no branch is checked out.
func (r *repository) base(ctx context.Context) (string, error) {
	if r.branch == "" {
		return "", nil
	}
	merge, err := r.optional(ctx, "config", "branch."+r.branch+".merge")
	if name, found := strings.CutPrefix(merge, "refs/heads/"); err == nil && found {
		return name, nil
	}
	return r.branch, err
}

// gitInput is what a git command gets beside its arguments.
type gitInput struct {
	in, env string
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return r.run(ctx, gitInput{}, args...)
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

// run runs git and returns what it prints, without the last line end. What it complains about is in the error.
func (r *repository) run(ctx context.Context, c gitInput, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.top}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if !r.terminal {
		cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	}
	if c.env != "" {
		cmd.Env = append(cmd.Env, c.env)
	}
	var out, complaint strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.in), &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if said := strings.TrimSpace(complaint.String()); said != "" {
			return "", fmt.Errorf("git %s: %s (%w)", args[0], said, err)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(out.String(), "\n"), nil
}
