package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"svc/shared/schema"
	"svc/shared/schema/dsl"
	"svc/shared/schema/typescript"
)

// fileOutcome is what becomes of a collection's file.
type fileOutcome string

const (
	fileUnchanged fileOutcome = "unchanged"
	fileCreated   fileOutcome = "created"
	fileUpdated   fileOutcome = "updated"
	fileRemoved   fileOutcome = "removed"
	// fileByHand is for files that a program should not write: they declare other collections too.
	fileByHand fileOutcome = "by_hand"
)

// pulledFile is what a pull does about one collection.
type pulledFile struct {
	Collection string `json:"collection"`
	// File is named from the schema folder, with slashes.
	File    string      `json:"file"`
	Outcome fileOutcome `json:"outcome"`
	// Detail says what to do by hand.
	Detail string `json:"detail,omitempty"`

	text   []byte // to write
	before onDisk // what the place held when this was planned
}

func (f pulledFile) changes() bool {
	return f.Outcome == fileCreated || f.Outcome == fileUpdated || f.Outcome == fileRemoved
}

func inSync(files []pulledFile) bool {
	return !slices.ContainsFunc(files, func(f pulledFile) bool { return f.Outcome != fileUnchanged })
}

func byHand(files []pulledFile) []pulledFile {
	return slices.DeleteFunc(slices.Clone(files), func(f pulledFile) bool { return f.Outcome != fileByHand })
}

// planPull says what has to become of the folder, and makes sure that it then declares what is deployed.
func (a *app) planPull(ctx context.Context, dir string, deployed []*schema.Collection) ([]pulledFile, error) {
	local, err := a.localSchemas(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(deployed) == 0 && len(local.Collections) > 0 {
		f := failed("nothing is deployed, and a pull would remove every file of %s; nothing was changed", a.shown(dir))
		f.hint = a.typed("schema", "push") + " deploys them"
		return nil, f
	}
	files := comparePulled(local, deployed, func(file string) bool {
		_, err := os.Lstat(filepath.Join(dir, file))
		return err == nil
	})
	if !slices.ContainsFunc(files, pulledFile.changes) {
		return files, nil
	}
	for i, f := range files {
		if !f.changes() {
			continue
		}
		at := filepath.Join(dir, filepath.FromSlash(f.File))
		if files[i].before, err = readDisk(at); err != nil {
			return nil, fileError(a.shown(at), err)
		}
	}
	return files, a.rehearse(ctx, dir, files, deployed)
}

// localSchemas loads a folder that may be missing or empty. What it refers to may be missing as well: the pull may be what
// brings it.
func (a *app) localSchemas(ctx context.Context, dir string) (dsl.Set, error) {
	set, err := dsl.Load(ctx, dir, dsl.Options{Deployed: true})
	var refused *dsl.Error
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, dsl.ErrNoFiles), errors.Is(err, dsl.ErrNoCollections):
		return dsl.Set{}, nil
	case errors.As(err, &refused):
		return dsl.Set{}, a.refusedSchemas(dir, refused.Issues)
	case errors.Is(err, context.Canceled):
		return dsl.Set{}, err
	case err != nil:
		return dsl.Set{}, a.folderError(dir, err)
	}
	a.warnOf(dir, slices.DeleteFunc(slices.Clone(set.Warnings), func(w dsl.Issue) bool { return w.Code != dsl.CodeReplaced }))
	return set, nil
}

// comparePulled compares what files declare with what is deployed. taken tells which names of files are in use.
func comparePulled(local dsl.Set, deployed []*schema.Collection, taken func(file string) bool) []pulledFile {
	declarations := map[string]int{} // by file
	byName := map[string]dsl.Declared{}
	for _, d := range local.Collections {
		byName[d.Name] = d
		declarations[d.File]++
	}
	for _, w := range local.Warnings {
		if w.Code == dsl.CodeReplaced {
			declarations[w.File]++
		}
	}
	var files []pulledFile
	for _, c := range deployed {
		d, declared := byName[c.Name]
		delete(byName, c.Name)
		f := pulledFile{Collection: c.Name, File: d.File, Outcome: fileUpdated, text: typescript.Source(c)}
		switch {
		case declared && d.Hash() == c.Hash() && d.Label == c.Label:
			f.Outcome = fileUnchanged
		case declared && declarations[d.File] > 1:
			f.Outcome = fileByHand
			f.Detail = d.File + " declares " + c.Name + " otherwise than it is deployed, and other collections too: take it out of there and pull again"
		case declared:
		case taken(c.Name + ".ts"):
			f.File, f.Outcome = c.Name+".ts", fileByHand
			f.Detail = f.File + " is there and declares no collection " + c.Name + ": rename it and pull again"
		default:
			f.File, f.Outcome = c.Name+".ts", fileCreated
		}
		files = append(files, f)
	}
	for _, d := range byName {
		f := pulledFile{Collection: d.Name, File: d.File, Outcome: fileRemoved}
		if declarations[d.File] > 1 {
			f.Outcome = fileByHand
			f.Detail = d.File + " declares " + d.Name + ", which is not deployed, and other collections too: take it out of there"
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b pulledFile) int { return strings.Compare(a.Collection, b.Collection) })
	return files
}
