package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"svc/shared/schema/typescript"
)

// writeGenerated puts types into a file, and reports whether that changed it. What is there and was written by someone is
// only overwritten where that is confirmed.
func (a *app) writeGenerated(ctx context.Context, path string, text []byte, yes bool) (changed bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return false, failed("%s is a link that leads nowhere; nothing was written", a.shown(path))
		}
		return true, a.fileOrNil(path, replaceFile(path, text))
	case err != nil:
		return false, fileError(a.shown(path), err)
	case !info.Mode().IsRegular(): // a pipe, or a folder that refuses it
		return true, a.fileOrNil(path, os.WriteFile(path, text, 0o644))
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return false, fileError(a.shown(path), err)
	}
	if bytes.Equal(before, text) {
		return false, nil
	}
	if len(before) > 0 && !typescript.IsTypes(before) && !yes {
		if err := a.confirmOverwriting(ctx, path); err != nil {
			return false, err
		}
	}
	return true, a.fileOrNil(path, replaceFile(path, text))
}

func (a *app) confirmOverwriting(ctx context.Context, path string) error {
	what := "overwriting " + a.shown(path)
	if real, err := os.Readlink(path); err == nil {
		what += " (a link to " + real + ")"
	}
	what += ", which is not of this command,"
	if err := a.someoneToAsk(what); err != nil {
		return err
	}
	return a.confirm(ctx, "Go on with "+what[:len(what)-1]+"?")
}

func (a *app) fileOrNil(path string, err error) error {
	if err != nil {
		return fileError(a.shown(path), err)
	}
	return nil
}
