package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"svc/shared/schema"
	"svc/shared/schema/dsl"
)

// rehearse makes the changes in a copy of the folder and looks whether it declares what is deployed. It does not where
// other files import what is to be written anew or removed, or where a collection is declared twice.
func (a *app) rehearse(ctx context.Context, dir string, files []pulledFile, deployed []*schema.Collection) error {
	copied, err := os.MkdirTemp("", "svc-pull-")
	if err != nil {
		return fmt.Errorf("making a folder for a copy of the schemas: %w", err)
	}
	defer os.RemoveAll(copied)
	if err := copySchemas(ctx, copied, dir); err != nil {
		return fmt.Errorf("copying the schemas: %w", err)
	}
	if err := changeCopy(copied, files); err != nil {
		return err
	}
	set, err := dsl.Load(ctx, copied, dsl.Options{Deployed: true})
	var refused *dsl.Error
	switch {
	case errors.Is(err, dsl.ErrNoFiles), errors.Is(err, dsl.ErrNoCollections):
	case errors.As(err, &refused) && len(byHand(files)) > 0:
		return handsFirst("without what is to be done by hand, the schemas would no longer load; nothing was changed", files)
	case errors.As(err, &refused):
		f := a.refusedSchemas(dir, refused.Issues)
		f.detail = "with the files that a pull writes, the schemas of " + a.shown(dir) + " would no longer load; nothing was changed"
		f.hint = "does another file import from one that is written anew or removed? Move what is shared into a file that declares no collection"
		return f
	case err != nil:
		return err
	}
	for _, c := range deployed {
		i := slices.IndexFunc(files, func(f pulledFile) bool { return f.Collection == c.Name })
		j := slices.IndexFunc(set.Collections, func(d dsl.Declared) bool { return d.Name == c.Name })
		if files[i].Outcome != fileByHand && (j < 0 || set.Collections[j].Hash() != c.Hash()) {
			return failed("the collection %s would still not be as it is deployed after a pull; nothing was changed. Is it declared in several files?", c.Name)
		}
	}
	for _, f := range files {
		if f.Outcome == fileRemoved && slices.ContainsFunc(set.Collections, func(d dsl.Declared) bool { return d.Name == f.Collection }) {
			return failed("the collection %s would still be declared after %s is removed; nothing was changed. It is declared in several files", f.Collection, f.File)
		}
	}
	return nil
}

// handsFirst is the failure of a pull that has to wait for someone.
func handsFirst(detail string, files []pulledFile) *failure {
	f := failed("%s", detail)
	for _, h := range byHand(files) {
		f.issues = append(f.issues, issue{File: h.File, Message: h.Detail})
	}
	return f
}

// copySchemas copies the files of a folder that are loaded; a missing folder has none.
func copySchemas(ctx context.Context, to, from string) error {
	files, err := dsl.Files(ctx, from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(file)))
		if err == nil {
			err = writeFile(filepath.Join(to, filepath.FromSlash(file)), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// changeCopy makes the changes in a copy of the folder.
func changeCopy(dir string, files []pulledFile) error {
	for _, f := range files {
		var err error
		switch at := filepath.Join(dir, filepath.FromSlash(f.File)); f.Outcome {
		case fileCreated, fileUpdated:
			err = writeFile(at, f.text)
		case fileRemoved:
			err = os.Remove(at)
		}
		if err != nil {
			return fmt.Errorf("changing a copy of the schemas: %w", err)
		}
	}
	return nil
}
