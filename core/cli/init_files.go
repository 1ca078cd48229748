package cli

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema/dsl"
)

// starter is the content of a new schema folder.
//
//go:embed starter/*.ts starter/tsconfig.json
var starter embed.FS

// declarations is where the types of the package svc/schema lie in a schema folder; its tsconfig.json says so too.
const declarations = ".svc/schema.d.ts"

// editorConfig tells an editor where the declarations are.
const editorConfig = "tsconfig.json"

// projectFile is what init writes into a project file.
type projectFile struct {
	APIURL       string `json:"apiUrl,omitzero"`
	Project      string `json:"project,omitzero"`
	Organization string `json:"organization,omitzero"`
	SchemaDir    string `json:"schemaDir"`
}

// starterFile is a file of a new schema folder; name has slashes.
type starterFile struct {
	name string
	data []byte
}

// starterFiles lists what a schema folder is started with: examples only where it declares nothing yet.
func (a *app) starterFiles(ctx context.Context, dir string) ([]starterFile, error) {
	files, err := editorFiles()
	if err != nil {
		return nil, err
	}
	there, err := dsl.Files(ctx, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fileError(a.shown(dir), err)
	}
	if len(there) > 0 {
		return files, nil
	}
	examples, err := fs.Glob(starter, "starter/*.ts")
	if err != nil {
		return nil, err
	}
	for _, name := range examples {
		data, err := starter.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, starterFile{path.Base(name), data})
	}
	slices.SortFunc(files, func(a, b starterFile) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// editorFiles are what an editor needs beside schemas to understand them with nothing installed.
func editorFiles() ([]starterFile, error) {
	types, err := fs.ReadFile(dsl.Package, "schema.d.ts")
	if err != nil {
		return nil, err
	}
	config, err := starter.ReadFile("starter/" + editorConfig)
	return []starterFile{{declarations, types}, {editorConfig, config}}, err
}

// newProjectFile is the content of the project file, were it written now; one that is there says where the schemas go.
func (a *app) newProjectFile(b *begun) ([]byte, error) {
	f := projectFile{a.flags.apiURL, a.flags.project, a.flags.organization, defaultSchemaDir}
	if f.APIURL != "" {
		if err := a.checkAPI(settings{apiURL: setting{f.APIURL, source{layerFlag, "--api-url"}}}); err != nil {
			return nil, err
		}
	}
	if f.Project != "" {
		if err := checkProject(setting{f.Project, source{layerFlag, "--project"}}); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(b.Dir, projectFileName)
	if _, err := os.Lstat(path); err == nil {
		there, err := a.readSettings(path, projectKeys)
		if err != nil {
			return nil, err
		}
		f.SchemaDir = cmp.Or(there[keySchemaDir], f.SchemaDir)
	}
	b.SchemaDir = filepath.FromSlash(f.SchemaDir)
	if !filepath.IsAbs(b.SchemaDir) {
		b.SchemaDir = filepath.Join(b.Dir, b.SchemaDir)
	}
	data, err := json.Marshal(f, jsontext.WithIndent("  "))
	return append(data, '\n'), err
}

// missingEditorFiles are the editorFiles that a folder has not.
func missingEditorFiles(dir string) ([]starterFile, error) {
	files, err := editorFiles()
	return slices.DeleteFunc(files, func(f starterFile) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.name)))
		return err == nil
	}), err
}

// writeNew writes a file with its folders, unless there is one already.
func (a *app) writeNew(b *begun, path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		b.Existing = append(b.Existing, path)
		return nil
	}
	if err := writeWhole(path, data); err != nil {
		return fileError(a.shown(path), err)
	}
	b.Written = append(b.Written, path)
	return nil
}
