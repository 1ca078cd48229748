package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"svc/shared/schema/dsl"
)

// refuseHidden refuses a schema folder that declares something else than what is committed where git status does not say
// so: a pull request starts from the commit, and is worked out from the folder.
func (a *app) refuseHidden(ctx context.Context, r *repository, dir string) error {
	entries, err := r.readHead(ctx)
	if err != nil {
		return err
	}
	files, err := dsl.Files(ctx, dir)
	var refused *dsl.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &refused):
		return a.refusedSchemas(dir, refused.Issues)
	case err != nil:
		return a.folderError(dir, err)
	}
	f := failed("the schema folder %s is not as it is committed, though git status does not say so; nothing was done", a.shown(dir))
	f.hint = r.typed("ls-files", "-v", "--", ":/"+r.folder) + " marks with h or S what git is told to overlook, and " +
		r.typed("status", "--ignored", "--", ":/"+r.folder) + " lists what it ignores"
	seen := map[string]bool{}
	for _, file := range files {
		seen[r.path(file)] = true
		says, err := r.differs(ctx, dir, file)
		if err != nil {
			return err
		}
		if says != "" {
			f.issues = append(f.issues, issue{File: a.opened(filepath.Join(dir, filepath.FromSlash(file))), Message: says})
		}
	}
	for at := range entries {
		file, within := strings.CutPrefix(at, strings.TrimPrefix(r.folder+"/", "/"))
		if within && dsl.Takes(file) && !seen[at] {
			f.issues = append(f.issues, issue{File: a.opened(filepath.Join(dir, filepath.FromSlash(file))), Message: "is committed, and not in the folder"})
		}
	}
	if len(f.issues) == 0 {
		return nil
	}
	slices.SortFunc(f.issues, func(a, b issue) int { return strings.Compare(a.File, b.File) })
	return f
}

// differs says how a file of the folder is not what HEAD has, "" where it is. Line ends may be others: git makes them so,
// and they mean the same in a schema file.
func (r *repository) differs(ctx context.Context, dir, file string) (string, error) {
	kept, isKept := r.entries[r.path(file)]
	if sub := r.submodule(r.path(file)); sub != "" {
		return "is in the submodule " + sub + ", whose files are those of another repository", nil
	}
	if !isKept {
		return "is not committed", nil
	}
	there, err := readDisk(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return "", err
	}
	texts := [][]byte{there.data, bytes.ReplaceAll(there.data, []byte("\r\n"), []byte("\n"))}
	if there.link != "" {
		texts = [][]byte{[]byte(there.link)}
	}
	for i, text := range texts {
		if i > 0 && bytes.Equal(text, texts[i-1]) {
			continue
		}
		if id, err := r.idOf(ctx, text); err != nil || id == kept.id {
			return "", err
		}
	}
	return "is not what is committed", nil
}
