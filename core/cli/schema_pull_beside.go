package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"svc/shared/schema/dsl"
)

// besidePulled lists what a folder without schemas gets beside them, as far as it is not there: what "svc init" would put
// there for editors. A folder with schemas is already set up as its owner wants it.
func (a *app) besidePulled(ctx context.Context, dir string) ([]pulledFile, error) {
	there, err := dsl.Files(ctx, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, a.folderError(dir, err)
	}
	if len(there) > 0 {
		return nil, nil
	}
	wanted, err := editorFiles()
	if err != nil {
		return nil, err
	}
	var files []pulledFile
	for _, f := range wanted {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			files = append(files, pulledFile{File: f.name, Outcome: fileCreated, text: f.data})
		case err != nil:
			return nil, a.folderError(dir, err)
		}
	}
	return files, nil
}
