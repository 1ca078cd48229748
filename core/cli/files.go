package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file with its folders through a temporary file beside it, so that no one reads a part of it. The file
// keeps its mode, and a link the file that it leads to.
func writeWhole(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*.new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name()) //nolint:errcheck // the failure is told already
	}
	return err
}

// absolute is a path that counts from the working directory.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Dir, path)
}

// shown is a path as the working directory would open it.
func (a *app) shown(path string) string {
	if rel, err := filepath.Rel(a.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// fileError says in the words of a person what is wrong with a file; the name is in front.
func fileError(name string, err error) *failure {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return failed("%s: %v", name, err)
}
