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
)

// pulledFile is what a pull does about one collection, or about a file for editors, which has no collection.
type pulledFile struct {
	Collection string `json:"collection"`
	// File is named from the schema folder, with slashes.
	File    string      `json:"file"`
	Outcome fileOutcome `json:"outcome"`

	text []byte // to write
}

func (f pulledFile) changes() bool { return f.Outcome != fileUnchanged }

// planPull says what has to become of the folder at a path, so that it declares what is deployed, and whether it is new. Faults
// are reported as those of dir: at is another checkout of it for a pull request.
func (a *app) planPull(ctx context.Context, at, dir string, deployed []*schema.Collection) (files []pulledFile, fresh bool, err error) {
	local, err := dsl.Load(ctx, at, dsl.Options{Deployed: true}) // what it refers to may be what the pull brings
	fresh = errors.Is(err, fs.ErrNotExist) || errors.Is(err, dsl.ErrNoFiles)
	if err != nil && !fresh && !errors.Is(err, dsl.ErrNoCollections) {
		return nil, fresh, a.unloadable(dir, err)
	}
	a.warnOf(a.inFolder(dir, slices.DeleteFunc(slices.Clone(local.Warnings), func(w dsl.Issue) bool { return w.Code != dsl.CodeReplaced })...))
	if len(deployed) == 0 && len(local.Collections) > 0 {
		return nil, fresh, failed("nothing is deployed, and a pull would remove every file of %s; nothing was changed", a.shown(dir)).
			hinted(`"svc schema push" deploys them`)
	}
	files, byHand := comparePulled(local, deployed, func(file string) bool {
		_, err := os.Lstat(filepath.Join(at, file))
		return err == nil
	})
	if len(byHand) > 0 {
		f := failed("some files of %s are for someone to change by hand first; nothing was changed", a.shown(dir))
		f.Errors = a.inFolder(dir, byHand...)
		return nil, fresh, f
	}
	return files, fresh, nil
}

// comparePulled compares what files declare with what is deployed, and lists what a program should not change: files that
// declare other collections too, and names that other files have. taken tells which names are in use.
func comparePulled(local dsl.Set, deployed []*schema.Collection, taken func(file string) bool) (files []pulledFile, byHand []dsl.Issue) {
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
	leave := func(file, message string) { byHand = append(byHand, dsl.Issue{File: file, Message: message}) }
	for _, c := range deployed {
		d, declared := byName[c.Name]
		delete(byName, c.Name)
		f := pulledFile{Collection: c.Name, File: d.File, Outcome: fileUpdated, text: typescript.Source(c)}
		switch {
		case declared && d.Hash() == c.Hash() && d.Label == c.Label:
			f.Outcome = fileUnchanged
		case declared && declarations[d.File] > 1:
			leave(d.File, "declares "+c.Name+" otherwise than it is deployed, and other collections too: take it out of there and pull again")
		case !declared && taken(c.Name+".ts"):
			leave(c.Name+".ts", "declares no collection "+c.Name+", and has the name of its file: rename it and pull again")
		case !declared:
			f.File, f.Outcome = c.Name+".ts", fileCreated
		}
		files = append(files, f)
	}
	for _, d := range byName {
		if declarations[d.File] > 1 {
			leave(d.File, "declares "+d.Name+", which is not deployed, and other collections too: take it out of there and pull again")
		}
		files = append(files, pulledFile{Collection: d.Name, File: d.File, Outcome: fileRemoved})
	}
	slices.SortFunc(files, func(a, b pulledFile) int { return strings.Compare(a.Collection, b.Collection) })
	slices.SortFunc(byHand, func(a, b dsl.Issue) int { return strings.Compare(a.File+a.Message, b.File+b.Message) })
	return files, byHand
}

// confirmPull asks before a pull mixes with changes that are not committed or, without git, overwrites or removes a file.
func (a *app) confirmPull(ctx context.Context, dir string, files []pulledFile) error {
	var lost []string
	for _, f := range files {
		if f.Outcome == fileUpdated || f.Outcome == fileRemoved {
			lost = append(lost, f.File)
		}
	}
	what := "overwriting or removing files of " + a.shown(dir) + " that no git repository holds"
	if r, err := a.repositoryOf(ctx, dir); err == nil { // whatever git says otherwise, the files are asked about
		what = "pulling over changes of " + a.shown(dir) + " that are not committed"
		if lost, err = r.uncommitted(ctx, lost); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || len(lost) == 0 {
		return ctx.Err()
	}
	return a.confirm(ctx, what+" ("+strings.Join(lost, ", ")+")")
}

// writePulled changes a folder, one file after the other. It undoes nothing where one fails: what was overwritten is
// committed, or its owner has agreed.
func (a *app) writePulled(dir string, files []pulledFile) error {
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.File))
		var err error
		switch f.Outcome {
		case fileCreated, fileUpdated:
			err = writeWhole(at, f.text)
		case fileRemoved:
			err = os.Remove(at)
		}
		if err != nil {
			return fileError(a.shown(at), err).hinted(`files before it are written already; "svc schema pull --yes" goes on`)
		}
	}
	return nil
}
