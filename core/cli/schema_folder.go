package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// howToName says how a schema folder is named.
func (a *app) howToName() string {
	if a.settings.schemaDir.from.From == layerFlag {
		return "name a folder with --dir"
	}
	return "name a folder with --dir, or with schemaDir in " + projectFileName
}

// howToFill says how to come by a schema folder with something in it.
func (a *app) howToFill() string {
	hint := a.howToName() + "; "
	if a.settings.schemaDir.from.From != layerFlag { // what init starts is the folder of the project file
		words := []string{"init"}
		if root := filepath.Dir(a.settings.projectFile); a.settings.projectFile != "" && root != a.Dir {
			words = append(words, root)
		}
		hint += a.typed(words...) + " starts one, and "
	}
	return hint + a.typed("schema", "pull") + " writes what is deployed"
}

// folderError is the failure of a schema folder that is there and cannot be read, or that cannot be there.
func (a *app) folderError(dir string, err error) *failure {
	shown := a.shown(dir)
	var at *fs.PathError
	file, isFile := fileInTheWay(dir)
	switch {
	case isFile && file == dir:
		return misconfigured(a.howToName(), "%s is a file, and schemas are in a folder", shown)
	case isFile:
		return misconfigured(a.howToName(), "there can be no schema folder %s: %s is a file", shown, a.shown(file))
	case errors.As(err, &at):
		return failed("the schema folder %s cannot be read: %v", shown, at.Err)
	}
	return a.explain(err)
}

// fileInTheWay is the path itself, or one above it, where a file is that would have to be a folder.
func fileInTheWay(path string) (string, bool) {
	for {
		info, err := os.Stat(path)
		if err == nil || path == filepath.Dir(path) {
			return path, err == nil && !info.IsDir()
		}
		path = filepath.Dir(path)
	}
}
