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
	// elsewhere tells that the command was typed outside of the work tree.
	elsewhere bool
	// entries are what head has in the schema folder, by path from top, once they were read.
	entries map[string]committed
}

// cleanRepository finds the repository of the schema folder, and refuses one with uncommitted changes in the folder.
func (a *app) cleanRepository(ctx context.Context, dir string) (*repository, error) {
	r, err := a.repositoryOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := a.refuseChanges(ctx, r, dir); err != nil {
		return nil, err
	}
	return r, a.refuseHidden(ctx, r, dir)
}

// repositoryOf finds the repository of the schema folder.
func (a *app) repositoryOf(ctx context.Context, dir string) (*repository, error) {
	there := nearestFolder(dir) // the folder itself may be missing
	r := &repository{top: there, terminal: a.InTerminal}
	top, err := r.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, a.noRepository(ctx, dir, err)
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
	r.top = top
	if folder != "." {
		r.folder = filepath.ToSlash(folder)
	}
	if here, err := filepath.Rel(top, a.Dir); err != nil || !filepath.IsLocal(here) {
		r.elsewhere = true
	}
	if r.head, err = r.optional(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return nil, err
	}
	if r.head == "" {
		f := failed("the git repository %s has no commit yet that a branch could start from", top)
		f.hint = "commit something first, if only a README"
		return nil, f
	}
	if r.branch, err = r.optional(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
		return nil, err
	}
	return r, nil
}

// noRepository is the failure of a folder that git finds no work tree of, as git says why.
func (a *app) noRepository(ctx context.Context, dir string, err error) error {
	var refused *gitError
	if ctx.Err() != nil || !errors.As(err, &refused) {
		return err
	}
	f := failed("git does not open a repository for the schema folder %s: %s", a.shown(dir), strings.TrimPrefix(refused.said, "fatal: "))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		f.detail = "a pull request is made with git, and there is no program git in PATH"
	case strings.Contains(refused.said, "not a git repository (or any"):
		f.detail = "the schema folder " + a.shown(dir) + " is in no git repository, and a pull request comes from one"
	case strings.Contains(refused.said, "must be run in a work tree"):
		f.detail = "the schema folder " + a.shown(dir) + " is in a git repository without a work tree"
	default:
		return f
	}
	f.hint = a.typed("schema", "pull") + " writes the files without a pull request"
	return f
}

func (a *app) refuseChanges(ctx context.Context, r *repository, dir string) error {
	changed, err := r.git(ctx, "status", "--porcelain", "--untracked-files=all", "--", r.path("."))
	if err != nil || changed == "" {
		return err
	}
	f := failed("the schema folder %s has uncommitted changes; nothing was done", a.shown(dir))
	f.hint = "commit them, or put them away with " + r.typed("stash", "push", "--include-untracked", "--", ":/"+r.folder)
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
			mode := modeFile
			if r.entries[at].mode == modeProgram {
				mode = modeProgram
			}
			_, err = r.run(ctx, index, "update-index", "--add", "--cacheinfo", mode+","+blob+","+at)
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
