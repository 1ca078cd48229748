package dsl

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// ErrNoFiles says that a folder holds no schema files, ErrNoCollections that its files declare nothing. Pushed, such a
// folder would remove every collection.
var (
	ErrNoFiles       = errors.New("the schema folder holds no .ts, .mts, .js or .mjs files")
	ErrNoCollections = errors.New("the files of the schema folder export no collection")
)

// Options say what a load accepts.
type Options struct {
	// Deployed takes whatever was deployed once, though a push would refuse it today, and references to collections that
	// the folder does not declare, for a caller that is about to add them.
	Deployed bool
	// Replace are files with another text than the folder has, by path from the folder with slashes: nil is a file that is
	// left out. The folder may be missing then.
	Replace map[string][]byte
}

// Set is what a schema folder declares.
type Set struct {
	// Collections are sorted by name.
	Collections []Declared
	// Warnings are worth showing, and no reason to stop: declarations that another one of the same name replaces, and code
	// that hardly does what it says, such as a comparison with NaN.
	Warnings []Issue
}

// Declared is a collection and where it is declared.
type Declared struct {
	*schema.Collection
	// File is the path of the file from the schema folder, with slashes.
	File string
	// Line and Column are those of the call of its builder, from 1; 0 where the file exports a plain object.
	Line, Column int

	marks []mark
	json  jsontext.Value // as the file says it
	// circular says that the file is on a circle of imports, so that what it imports may be undefined.
	circular string
}

// mark says where the part of a collection at a path was built; "" is the collection itself.
type mark struct {
	path string
	place
}

// Canonical returns the canonical JSON of the collections, in order: what a push sends.
func (s Set) Canonical() []jsontext.Value {
	values := make([]jsontext.Value, len(s.Collections))
	for i, c := range s.Collections {
		values[i] = c.Canonical()
	}
	return values
}

// Locate turns a path into the set, such as "collections[2].fields.author.to", as the service reports it for a push,
// into a place: file, line, column and the path in the collection. It is false for any other path.
func (s Set) Locate(path string) (Issue, bool) {
	for i, c := range s.Collections {
		if rest, ok := strings.CutPrefix(path, setPath(i)); ok && (rest == "" || rest[0] == '.') {
			return c.at(strings.TrimPrefix(rest, ".")), true
		}
	}
	return Issue{}, false
}

// Load reads the schema folder dir with all below it: files ending in .ts, .mts, .js and .mjs, except names that start
// with a dot, node_modules, dist and .d.ts files. dir may be a symbolic link; links in the folder must not leave it.
//
// Each file may export one collection by default, an array of collections, or several by name. Files are taken in the
// order of their paths, in a file the default export first and then the others by name, and the last declaration of a
// name counts. A named export that is no collection, such as a shared field, is left alone.
//
// What is wrong with the files is an *Error that lists it all: of files that cannot be read, then of those that cannot be
// compiled, then of what they declare. A folder without files is ErrNoFiles, one without
// collections ErrNoCollections, a missing one fs.ErrNotExist.
func Load(ctx context.Context, dir string, opts Options) (Set, error) {
	return load(ctx, dir, opts, limits{MaxTime, MaxMemory})
}

// load is Load with other limits.
func load(ctx context.Context, dir string, opts Options, l limits) (Set, error) {
	sources, issues, err := scan(ctx, dir, MaxTime)
	if len(opts.Replace) > 0 {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		sources = replace(sources, opts.Replace)
	}
	switch {
	case err != nil:
		return Set{}, err
	case len(issues) > 0:
		return Set{}, refuse(issues)
	case len(sources) == 0:
		return Set{}, ErrNoFiles
	}
	found, err := evaluate(ctx, sources, l)
	switch {
	case ctx.Err() != nil:
		return Set{}, ctx.Err()
	case err != nil:
		return Set{}, err
	}
	set, faults := declare(found, opts.Deployed)
	if err := refuse(faults); err != nil {
		return Set{}, err
	}
	if len(set.Collections) == 0 {
		return Set{}, ErrNoCollections
	}
	return set, nil
}

// replace are the files as they would be after changes.
func replace(sources []source, changes map[string][]byte) []source {
	sources = slices.DeleteFunc(sources, func(s source) bool { _, changed := changes[s.path]; return changed })
	for file, text := range changes {
		if text != nil {
			sources = append(sources, source{file, string(text)})
		}
	}
	slices.SortFunc(sources, func(a, b source) int { return strings.Compare(a.path, b.path) })
	return sources
}
