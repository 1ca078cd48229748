package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/schema/dsl"
)

// loadSchemas evaluates the schema folder.
func (a *app) loadSchemas(ctx context.Context, dir setting) (dsl.Set, error) {
	set, err := dsl.Load(ctx, dir.value, dsl.Options{})
	shown := a.shown(dir.value)
	switch {
	case errors.Is(err, dsl.ErrNoFiles):
		return dsl.Set{}, misconfigured(a.howToFill(), "the schema folder %s holds no *.ts, *.mts, *.js or *.mjs", shown)
	case errors.Is(err, dsl.ErrNoCollections):
		return dsl.Set{}, misconfigured("export default collection({ … }) declares one", "the files of the schema folder %s export no collection", shown)
	case errors.Is(err, fs.ErrNotExist):
		return dsl.Set{}, misconfigured(a.howToFill(), "there is no schema folder %s", shown)
	case err != nil:
		return dsl.Set{}, a.unloadable(dir.value, err)
	}
	a.warnOf(dir.value, set.Warnings)
	return set, nil
}

// unloadable is the failure of a folder that cannot be loaded.
func (a *app) unloadable(dir string, err error) *failure {
	var refused *dsl.Error
	if errors.As(err, &refused) {
		return a.refusedSchemas(dir, refused.Issues)
	}
	return a.folderError(dir, err)
}

// refusedSchemas is the failure of a folder with faults.
func (a *app) refusedSchemas(dir string, found []dsl.Issue) *failure {
	f := &failure{
		exit: ExitValidation, code: string(fault.ValidationFailed),
		detail: "the schemas in " + a.shown(dir) + " have " + counted(len(found), "fault", "faults"),
	}
	for _, i := range found {
		f.issues = append(f.issues, a.inFolder(dir, i))
	}
	return f
}

// inFolder is a finding of the loader, with its file as the working directory would open it.
func (a *app) inFolder(dir string, i dsl.Issue) issue {
	at := issue{Line: i.Line, Column: i.Column, Path: i.Path, Message: i.Message, Code: string(i.Code)}
	if i.File != "" {
		at.File = a.opened(filepath.Join(dir, filepath.FromSlash(i.File)))
	}
	return at
}

// inFiles tells in which files the service found what it refuses.
func (a *app) inFiles(dir string, set dsl.Set, err error) error {
	var service *client.Error
	if !errors.As(err, &service) {
		return err
	}
	f := a.explain(err)
	for i, it := range f.issues {
		if at, found := set.Locate(it.Path); found && it.ResourceID == "" {
			at.Code, at.Message = dsl.Code(it.Code), it.Message
			f.issues[i] = a.inFolder(dir, at)
		}
	}
	return f
}
