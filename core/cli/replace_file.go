package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// stageFile puts data, with the folders that are missing, beside the file that it is to become, under a name that nobody
// else uses. made are those folders, the outermost first.
func stageFile(file string, data []byte, mode fs.FileMode) (staged string, made []string, err error) {
	if made, err = makeFolders(filepath.Dir(file)); err != nil {
		return "", made, err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*.new")
	if err != nil {
		return "", made, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		os.Remove(f.Name()) //nolint:errcheck // the failure is told already
		return "", made, err
	}
	return f.Name(), made, nil
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

// replaceFile writes a file with its folders, all of it or nothing, and leaves what a link leads to where it is: the file
// behind the link is replaced.
func replaceFile(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	staged, made, err := stageFile(file, data, mode)
	if err != nil {
		unmake(made)
		return err
	}
	if err := os.Rename(staged, file); err != nil {
		os.Remove(staged) //nolint:errcheck // the failure is told already
		return err
	}
	return nil
}
