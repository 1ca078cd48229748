package cli

import (
	"context"
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// committed is what HEAD has at a place.
type committed struct{ mode, id string }

// Modes of what a commit holds, beside those of files.
const (
	modeFile      = "100644"
	modeProgram   = "100755"
	modeSubmodule = "160000"
)

// head reads what HEAD has in the schema folder, by path from the top, and the submodules above it.
func (r *repository) readHead(ctx context.Context) (map[string]committed, error) {
	if r.entries != nil {
		return r.entries, nil
	}
	all := map[string]committed{}
	for above := path.Dir(r.folder); above != "." && above != "/"; above = path.Dir(above) {
		if err := r.list(ctx, all, above); err != nil {
			return nil, err
		}
	}
	within := []string{"-r"}
	if r.folder != "" {
		within = append(within, "--", r.folder)
	}
	if err := r.list(ctx, all, within...); err != nil {
		return nil, err
	}
	r.entries = all
	return all, nil
}

func (r *repository) list(ctx context.Context, into map[string]committed, args ...string) error {
	listed, err := r.git(ctx, append([]string{"ls-tree", "-z", "--full-tree", r.head}, args...)...)
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(listed, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if parts := strings.Fields(about); len(parts) == 3 && parts[1] != "tree" {
			into[name] = committed{parts[0], parts[2]}
		}
	}
	return nil
}

// submodule is the one that a path is in, or is, as HEAD has it; "" is none.
func (r *repository) submodule(at string) string {
	for ; at != "." && at != "/" && at != ""; at = path.Dir(at) {
		if r.entries[at].mode == modeSubmodule {
			return at
		}
	}
	return ""
}

// keeps reports whether HEAD has a file of the schema folder byte for byte as the work tree does. What git status says is
// no answer: it overlooks what it is told to, and takes what a filter makes the same for the same.
func (r *repository) keeps(ctx context.Context, f pulledFile) (bool, error) {
	entries, err := r.readHead(ctx)
	if err != nil {
		return false, err
	}
	kept := entries[r.path(f.File)]
	if f.before.link != "" || kept.mode != modeFile && kept.mode != modeProgram {
		return false, nil
	}
	id, err := r.idOf(ctx, f.before.data)
	return id == kept.id, err
}

// idOf is the id that a text has where it is committed as it is.
func (r *repository) idOf(ctx context.Context, text []byte) (string, error) {
	return r.run(ctx, gitInput{in: string(text)}, "hash-object", "--stdin")
}

// ignored are those of some files of the schema folder that git ignores. None may be in a submodule.
func (r *repository) ignored(ctx context.Context, files []pulledFile) ([]string, error) {
	var paths strings.Builder
	for _, f := range files {
		paths.WriteString(r.path(f.File) + "\x00")
	}
	if paths.Len() == 0 {
		return nil, nil
	}
	listed, err := r.run(ctx, gitInput{in: paths.String()}, "check-ignore", "-z", "--stdin")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // none
		return nil, nil
	}
	return strings.FieldsFunc(listed, func(c rune) bool { return c == 0 }), err
}

// committable is the part of a change that a pull request can have. Types for editors that git ignores are left out;
// anything else that git would not take as a file of this repository is refused.
func (a *app) committable(ctx context.Context, r *repository, files []pulledFile) ([]pulledFile, error) {
	if _, err := r.readHead(ctx); err != nil {
		return nil, err
	}
	var issues []issue
	var created []pulledFile
	refuse := func(f pulledFile, message string) {
		issues = append(issues, issue{File: a.opened(filepath.Join(r.top, filepath.FromSlash(r.path(f.File)))), Message: message})
	}
	for _, f := range files {
		switch sub := r.submodule(r.path(f.File)); {
		case !f.changes():
		case sub != "":
			refuse(f, "is in the submodule "+sub+", whose files are those of another repository")
		case f.before.link != "":
			refuse(f, "is a symbolic link, which would become a file")
		case f.Outcome == fileCreated:
			created = append(created, f)
		}
	}
	ignored, err := r.ignored(ctx, created)
	if err != nil {
		return nil, err
	}
	isIgnored := func(f pulledFile) bool { return slices.Contains(ignored, r.path(f.File)) }
	for _, f := range created {
		if isIgnored(f) && f.Collection != "" {
			refuse(f, "is ignored by git, and what is ignored is not committed unasked")
		}
	}
	if len(issues) == 0 {
		return slices.DeleteFunc(slices.Clone(files), isIgnored), nil
	}
	f := failed("a pull request cannot have these changes; nothing was done")
	f.issues = issues
	f.hint = a.typed("schema", "pull") + " writes the files without a pull request"
	return nil, f
}
