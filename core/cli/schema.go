package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc/shared/fault"
	"svc/shared/problem"
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
	if set, err = dsl.Load(ctx, dir, dsl.Options{}); err != nil {
		return set, dir, a.unloadable(dir, err)
	}
	a.warnOf(a.inFolder(dir, set.Warnings...))
	return set, dir, nil
}

// unloadable is the failure of a folder that cannot be loaded.
func (a *app) unloadable(dir string, err error) error {
	const hint = "name a folder with --dir, or with schemaDir in " + projectFileName + `; "svc init" starts one, and "svc schema pull" writes what is deployed`
	var refused *dsl.Error
	var at *fs.PathError
	switch {
	case errors.As(err, &refused):
		return &failure{
			exit: ExitValidation, Code: string(fault.ValidationFailed), Errors: a.inFolder(dir, refused.Issues...),
			Detail: "the schemas in " + a.shown(dir) + " have " + counted(len(refused.Issues), "fault", "faults"),
		}
	case errors.Is(err, dsl.ErrNoFiles):
		return misconfigured(hint, "the schema folder %s holds no *.ts, *.mts, *.js or *.mjs", a.shown(dir))
	case errors.Is(err, dsl.ErrNoCollections):
		return misconfigured("export default collection({ … }) declares one", "the files of the schema folder %s export no collection", a.shown(dir))
	case errors.Is(err, fs.ErrNotExist):
		return misconfigured(hint, "there is no schema folder %s", a.shown(dir))
	case errors.As(err, &at):
		return misconfigured(hint, "the schema folder %s cannot be read: %v", a.shown(dir), at.Err)
	}
	return err
}

// inFolder are findings of the loader, with their files as the working directory would open them.
func (a *app) inFolder(dir string, found ...dsl.Issue) (issues []issue) {
	for _, i := range found {
		at := issue{Line: i.Line, Column: i.Column, Issue: problem.Issue{Path: i.Path, Message: i.Message, Code: string(i.Code)}}
		if i.File != "" {
			at.File = a.shown(filepath.Join(dir, filepath.FromSlash(i.File)))
		}
		issues = append(issues, at)
	}
	return issues
}

// inFiles tells in which files the service found what it refuses.
func (a *app) inFiles(set dsl.Set, err error) error {
	f := a.explain(err)
	for i, it := range f.Errors {
		if at, found := set.Locate(it.Path); found && it.ResourceID == "" {
			at.Code, at.Message = dsl.Code(it.Code), it.Message
			f.Errors[i] = a.inFolder(a.settings.schemaDir.value, at)[0]
		}
	}
	return f
}
