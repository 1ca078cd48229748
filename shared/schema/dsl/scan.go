package dsl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/shared/schema"
)

// source is one file of the folder.
type source struct {
	Path string `json:"path"` // from the folder, with slashes
	Text string `json:"text"`
}

// extensions are those of schema files, in the order in which an import without one looks for them.
var extensions = []string{".ts", ".mts", ".js", ".mjs"}

// scanner walks a folder. It holds on to the folder itself, so that nothing outside can be read through a link.
type scanner struct {
	ctx     context.Context
	root    *os.Root
	sources []source
	issues  []Issue
	walked  int
	bytes   int64
}

var errEnough = errors.New("enough of this folder")

// scan reads the schema files of a folder, by path. Files that cannot be taken become issues, and reading goes on. It
// takes no longer than most.
func scan(ctx context.Context, dir string, most time.Duration) ([]source, []Issue, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s := &scanner{ctx: limited, root: root}
	err = s.folder(root, ".", 0)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limited.Err() != nil:
		s.refuse("", CodeTimeLimit, "the folder takes longer than %s to look through: this is hardly a schema folder", most)
	case err != nil && !errors.Is(err, errEnough):
		return nil, nil, fmt.Errorf("read the schema folder %s: %w", dir, err)
	}
	slices.SortFunc(s.sources, func(a, b source) int { return strings.Compare(a.Path, b.Path) })
	return s.sources, s.issues, nil
}

func (s *scanner) refuse(file string, code Code, format string, args ...any) {
	s.issues = append(s.issues, Issue{File: schema.Visible(file), Code: code, Message: fmt.Sprintf(format, args...)})
}

// folder looks at what a folder holds, which is open: from the top, each would be as far as it is deep.
func (s *scanner) folder(at *os.Root, name string, depth int) error {
	entries, err := s.entries(at)
	switch {
	case err != nil && name != "." && errors.Is(err, fs.ErrPermission):
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
		return nil
	case err != nil:
		return err
	}
	for _, entry := range entries {
		within := path.Join(name, entry.Name())
		if entry.IsDir() {
			err = s.below(at, entry, within, depth+1)
		} else {
			err = s.visit(at, entry, within)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entries are those of a folder by name, as long as there are not too many.
func (s *scanner) entries(at *os.Root) ([]fs.DirEntry, error) {
	folder, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	const some = 1000
	var all []fs.DirEntry
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		more, err := folder.ReadDir(some)
		all = append(all, more...)
		if s.walked += len(more); s.walked > maxWalked {
			s.refuse("", CodeTooLarge, "the folder holds more than %d files and folders: this is hardly a schema folder", maxWalked)
			return nil, errEnough
		}
		switch {
		case errors.Is(err, io.EOF):
			slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			return all, nil
		case err != nil:
			return nil, err
		}
	}
}

// below looks into a folder, unless it is left out or there is no end of it.
func (s *scanner) below(parent *os.Root, entry fs.DirEntry, name string, depth int) error {
	switch {
	case skipped(name):
		return nil
	case !utf8.ValidString(name):
		s.refuse(name, CodeFile, "is a folder whose name is not UTF-8, so that no file in it can be named; rename it")
		return nil
	case depth > maxFolders:
		s.refuse(name, CodeTooLarge, "is nested deeper than %d folders; a schema folder is not that deep", maxFolders)
		return nil
	}
	at, err := parent.OpenRoot(entry.Name())
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
		return nil
	case err != nil:
		return err
	}
	defer at.Close()
	return s.folder(at, name, depth)
}

func (s *scanner) visit(at *os.Root, entry fs.DirEntry, name string) error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case skipped(name):
		return nil
	case isSchemaFile(name) && !schema.IsVisible(name):
		s.refuse(name, CodeFile, "%s", hiddenName(name))
		return nil
	case entry.Type()&fs.ModeSymlink != 0:
		return s.link(name)
	case !isSchemaFile(name):
		return nil
	}
	return s.file(at, entry.Name(), name)
}

// hiddenName says why the name of a file cannot be taken: no message and no import could name it, and it may look like
// another one.
func hiddenName(name string) string {
	if !utf8.ValidString(name) {
		return "has a name or a folder whose name is not UTF-8; rename it"
	}
	return "has a name or a folder whose name holds characters that cannot be seen, written here as escapes; rename it"
}

func skipped(name string) bool {
	base := path.Base(name)
	return base != "." && strings.HasPrefix(base, ".") || base == "node_modules" || base == "dist"
}

// isSchemaFile tells by its name whether a file is scanned. Declarations of types, such as .d.ts, declare no values.
func isSchemaFile(name string) bool {
	ext := path.Ext(name)
	return slices.Contains(extensions, ext) && path.Ext(strings.TrimSuffix(name, ext)) != ".d"
}
