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
	"github.com/spf13/cobra"

	"svc/shared/schema/dsl"
)

// begun is what svc init left in a folder. Paths are as the program would open them.
type begun struct {
	Dir       string   `json:"dir"`
	SchemaDir string   `json:"schemaDir"`
	Written   []string `json:"written"`
	// Existing are files that were there before, and are as they were.
	Existing []string `json:"existing"`
}

func (a *app) initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Start a folder of schemas",
		Long: `Start a folder of schemas, here or in FOLDER: example collections in TypeScript, a tsconfig.json and the types
of "svc/schema" beside them, so that an editor understands the files with nothing installed, and the project file. Those
types, in ` + declarations + ` of the schema folder, are the reference of all builders and their options.
--api-url, --project and --organization are written into the project file. No file is ever overwritten, and examples are
only put where no schemas are yet; so it can be called again, to have a file that was removed written again.`,
	}
	return a.does(cmd, func(ctx context.Context, args []string) error {
		b := begun{Dir: a.Dir, Written: []string{}, Existing: []string{}}
		if len(args) == 1 {
			b.Dir = a.absolute(args[0])
			if info, err := os.Stat(b.Dir); err == nil && !info.IsDir() {
				return usage("name a folder, which need not be there yet", "%s is a file", a.shown(b.Dir))
			}
		}
		if err := a.begin(ctx, &b); err != nil {
			return err
		}
		return a.answer(b, func(p *page) { a.showBegun(p, b) })
	})
}

// begin writes what is missing.
func (a *app) begin(ctx context.Context, b *begun) error {
	project, err := a.newProjectFile(b)
	if err != nil {
		return err
	}
	files, err := a.starterFiles(ctx, b.SchemaDir)
	if err != nil {
		return err
	}
	if err := a.writeNew(b, filepath.Join(b.Dir, projectFileName), project); err != nil {
		return err
	}
	for _, f := range files {
		if err := a.writeNew(b, filepath.Join(b.SchemaDir, filepath.FromSlash(f.name)), f.data); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) showBegun(p *page, b begun) {
	var t table
	for _, file := range b.Written {
		t.row(green, "wrote", a.shown(file))
	}
	for _, file := range b.Existing {
		t.row(dim, "exists", a.shown(file))
	}
	p.table(t)
	p.line("")
	p.line("Next:")
	if b.Dir != a.Dir {
		p.line("  %s", p.paint(bold, "cd "+a.shown(b.Dir)))
	}
	var next table
	next.row(bold, "  svc schema inspect", "what the files declare")
	next.row(bold, "  svc status", "which service and which project the commands work with")
	next.row(bold, "  svc schema diff", "what a push would change")
	next.row(bold, "  svc schema push", "deploy the files")
	p.table(next)
	p.line("")
	p.line("Every builder and option is explained in %s.", a.shown(filepath.Join(b.SchemaDir, filepath.FromSlash(declarations))))
}

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
