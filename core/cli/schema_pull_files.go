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

// planPull says what has to become of the folder at a path, and makes sure that it then declares what is deployed. Faults
// are reported as those of dir: at is another checkout of it for a pull request.
func (a *app) planPull(ctx context.Context, at, dir string, deployed []*schema.Collection) ([]pulledFile, error) {
	local, err := dsl.Load(ctx, at, dsl.Options{Deployed: true}) // what it refers to may be what the pull brings
	fresh := errors.Is(err, fs.ErrNotExist) || errors.Is(err, dsl.ErrNoFiles)
	if err != nil && !fresh && !errors.Is(err, dsl.ErrNoCollections) {
		return nil, a.unloadable(dir, err)
	}
	a.warnOf(dir, slices.DeleteFunc(slices.Clone(local.Warnings), func(w dsl.Issue) bool { return w.Code != dsl.CodeReplaced }))
	if len(deployed) == 0 && len(local.Collections) > 0 {
		return nil, failed("nothing is deployed, and a pull would remove every file of %s; nothing was changed", a.shown(dir)).
			hinted(a.typed("schema", "push") + " deploys them")
	}
	files, byHand := comparePulled(local, deployed, func(file string) bool {
		_, err := os.Lstat(filepath.Join(at, file))
		return err == nil
	})
	if len(byHand) > 0 {
		f := failed("some files of %s are for someone to change by hand first; nothing was changed", a.shown(dir))
		f.issues = a.inFolder(dir, byHand...)
		return nil, f
	}
	if !slices.ContainsFunc(files, pulledFile.changes) {
		return files, nil
	}
	if err := a.checkPlan(ctx, at, dir, files, deployed); err != nil || !fresh {
		return files, err
	}
	beside, err := editorFiles()
	for _, f := range beside {
		if _, err := os.Lstat(filepath.Join(at, filepath.FromSlash(f.name))); errors.Is(err, fs.ErrNotExist) {
			files = append(files, pulledFile{File: f.name, Outcome: fileCreated, text: f.data})
		}
	}
	return files, err
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

// checkPlan loads the folder as it would be after the changes. It would not declare what is deployed where other files
// import what is written anew or removed, or where a collection is declared twice.
func (a *app) checkPlan(ctx context.Context, at, dir string, files []pulledFile, deployed []*schema.Collection) error {
	changes := map[string][]byte{}
	for _, f := range files {
		if f.changes() {
			changes[f.File] = f.text
		}
	}
	set, err := dsl.Load(ctx, at, dsl.Options{Deployed: true, Replace: changes})
	if err != nil {
		f := a.unloadable(dir, err)
		if f.exit != ExitValidation {
			return f
		}
		f.detail = "with the files that a pull writes, the schemas of " + a.shown(dir) + " would no longer load; nothing was changed"
		f.hint = "does another file import from one that is written anew or removed? Move what is shared into a file that declares no collection"
		return f
	}
	same := func(d dsl.Declared, c *schema.Collection) bool { return d.Name == c.Name && d.Hash() == c.Hash() }
	if !slices.EqualFunc(set.Collections, deployed, same) {
		return failed("after a pull, the files of %s would still not declare what is deployed; nothing was changed. Is a collection declared in several files?", a.shown(dir))
	}
	return nil
}

// confirmPull asks before a pull mixes with changes that are not committed or, without git, overwrites or removes a file.
func (a *app) confirmPull(ctx context.Context, dir string, files []pulledFile) error {
	if a.flags.yes {
		return nil
	}
	var lost []string
	for _, f := range files {
		if f.Outcome == fileUpdated || f.Outcome == fileRemoved {
			lost = append(lost, f.File)
		}
	}
	what, hint := "overwriting or removing files of "+a.shown(dir)+" that no git repository holds", "pass --yes"
	if r, err := repositoryOf(ctx, dir, a.InTerminal); err == nil { // whatever git says otherwise, the files are asked about
		what, hint = "pulling over changes of "+a.shown(dir)+" that are not committed", "commit or stash them, or pass --yes"
		if lost, err = r.uncommitted(ctx, lost); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || len(lost) == 0 {
		return ctx.Err()
	}
	what += " (" + strings.Join(lost, ", ") + ")"
	if err := a.someoneToAsk(what, hint); err != nil {
		return err
	}
	return a.confirm(ctx, "Go on with "+what+"?")
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
			return fileError(a.shown(at), err).hinted("files before it are written already; " + a.typed("schema", "pull", "--yes") + " goes on")
		}
	}
	return nil
}
