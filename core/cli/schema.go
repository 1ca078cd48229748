package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc/shared/fault"
	"svc/shared/schema/dsl"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "schema",
		Short: "Push, pull, compare and inspect schemas",
		Long: `Push, pull, compare and inspect schemas.

Schemas are TypeScript or JavaScript files that use the package "svc/schema"; "svc init" starts a folder of them. The
folder is scanned with all below it for *.ts, *.mts, *.js and *.mjs; names that start with a dot, *.d.ts, and folders
called node_modules or dist, are left out. A file exports one collection by default, an array of them, or several by
name. They are evaluated by this program, without Node.js, and without files, network or clock of their own. The whole
folder is the set: a push removes the deployed collections that it lacks, where --allow-destructive accepts that.`,
	}, a.schemaPushCommand(), a.schemaDiffCommand(), a.schemaInspectCommand(),
		a.schemaPullCommand(), a.schemaDriftCommand(), a.schemaPromoteCommand(), a.schemaTranslationsCommand())
	cmd.PersistentFlags().StringVar(&a.flags.dir, "dir", "", "`FOLDER` of the schemas (default: schemaDir of the project file, else "+defaultSchemaDir+" beside it)")
	return cmd
}

// loadSchemas evaluates the schema folder, which it returns too.
func (a *app) loadSchemas(ctx context.Context) (set dsl.Set, dir string, err error) {
	s, err := a.mustLoad()
	if err != nil {
		return set, "", err
	}
	dir = s.schemaDir.value
	set, err = dsl.Load(ctx, dir, dsl.Options{})
	switch {
	case errors.Is(err, dsl.ErrNoFiles):
		err = misconfigured(a.howToFill(), "the schema folder %s holds no *.ts, *.mts, *.js or *.mjs", a.shown(dir))
	case errors.Is(err, dsl.ErrNoCollections):
		err = misconfigured("export default collection({ … }) declares one", "the files of the schema folder %s export no collection", a.shown(dir))
	case errors.Is(err, fs.ErrNotExist):
		err = misconfigured(a.howToFill(), "there is no schema folder %s", a.shown(dir))
	case err != nil:
		err = a.unloadable(dir, err)
	default:
		a.warnOf(dir, set.Warnings)
	}
	return set, dir, err
}

// unloadable is the failure of a folder that cannot be loaded.
func (a *app) unloadable(dir string, err error) *failure {
	refused, ok := errors.AsType[*dsl.Error](err)
	if !ok {
		return a.folderError(dir, err)
	}
	return &failure{
		exit: ExitValidation, code: string(fault.ValidationFailed), issues: a.inFolder(dir, refused.Issues...),
		detail: "the schemas in " + a.shown(dir) + " have " + counted(len(refused.Issues), "fault", "faults"),
	}
}

// inFolder are findings of the loader, with their files as the working directory would open them.
func (a *app) inFolder(dir string, found ...dsl.Issue) (issues []issue) {
	for _, i := range found {
		at := issue{Line: i.Line, Column: i.Column, Path: i.Path, Message: i.Message, Code: string(i.Code)}
		if i.File != "" {
			at.File = a.opened(filepath.Join(dir, filepath.FromSlash(i.File)))
		}
		issues = append(issues, at)
	}
	return issues
}

// inFiles tells in which files the service found what it refuses.
func (a *app) inFiles(dir string, set dsl.Set, err error) error {
	f := a.explain(err)
	for i, it := range f.issues {
		if at, found := set.Locate(it.Path); found && it.ResourceID == "" {
			at.Code, at.Message = dsl.Code(it.Code), it.Message
			f.issues[i] = a.inFolder(dir, at)[0]
		}
	}
	return f
}

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
