package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file with its folders through a temporary file beside it, so that nobody reads a part of it. The file
// keeps its mode; a link becomes a file.
func writeWhole(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	made, err := makeFolders(filepath.Dir(file))
	if err == nil {
		err = writeAndRename(file, data, mode)
	}
	if err != nil {
		unmake(made)
	}
	return err
}

func writeAndRename(file string, data []byte, mode fs.FileMode) error {
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

// makeFolders is os.MkdirAll that tells which folders it made, also where it fails.
func makeFolders(path string) (made []string, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, nil
	}
	if parent := filepath.Dir(path); parent != path {
		if made, err = makeFolders(parent); err != nil {
			return made, err
		}
	}
	switch err = os.Mkdir(path, 0o755); {
	case err == nil:
		return append(made, path), nil
	case errors.Is(err, fs.ErrExist): // somebody else made it, or it is a file
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			return made, nil
		}
	}
	return made, err
}

// unmake removes folders that were made, as far as they are empty.
func unmake(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		os.Remove(made[i]) //nolint:errcheck // whoever put something into it keeps it
	}
}

// replaceFile is writeWhole that leaves a link where it is: the file behind it is replaced.
func replaceFile(file string, data []byte) error {
	if _, err := os.Stat(file); err == nil {
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	return writeWhole(file, data)
}
