package dsl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/shared/schema"
)

// source is one file of the folder.
type source struct {
	path string // from the folder, with slashes
	text string
}

// extensions are those of schema files, in the order in which an import without one looks for them.
var extensions = []string{".ts", ".mts", ".js", ".mjs"}

// Files lists the schema files of a folder that Load would read, as paths from the folder with slashes, in order. They
// are not evaluated. A folder that is not looked through to its end is an *Error.
func Files(ctx context.Context, dir string) ([]string, error) {
	sources, issues, err := scan(ctx, dir, MaxTime)
	if i := slices.IndexFunc(issues, func(i Issue) bool { return i.File == "" }); err == nil && i >= 0 {
		err = &Error{Issues: issues[i:]}
	}
	files := make([]string, len(sources))
	for i, s := range sources {
		files[i] = s.path
	}
	return files, err
}

// scanner walks a folder. It holds on to the folder itself, so that nothing outside can be read through a link.
type scanner struct {
	ctx     context.Context
	root    *os.Root
	sources []source
	issues  []Issue
	walked  int
	bytes   int
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
	err = fs.WalkDir(root.FS(), ".", s.visit)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limited.Err() != nil:
		s.refuse("", CodeTimeLimit, "the folder takes longer than %s to look through: this is hardly a schema folder", most)
	case err != nil && !errors.Is(err, errEnough):
		return nil, nil, fmt.Errorf("read the schema folder %s: %w", dir, err)
	}
	slices.SortFunc(s.sources, func(a, b source) int { return strings.Compare(a.path, b.path) })
	return s.sources, s.issues, nil
}

func (s *scanner) refuse(file string, code Code, format string, args ...any) {
	s.issues = append(s.issues, Issue{File: schema.Visible(file), Code: code, Message: fmt.Sprintf(format, args...)})
}

// visit looks at a file or a folder, before what the folder holds.
func (s *scanner) visit(name string, entry fs.DirEntry, err error) error {
	s.walked++
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case name == ".":
		return err
	case skipped(name) && entry.IsDir():
		return fs.SkipDir
	case skipped(name):
		return nil
	case s.walked > maxWalked:
		s.refuse("", CodeTooLarge, "the folder holds more than %d files and folders: this is hardly a schema folder", maxWalked)
		return errEnough
	case entry.IsDir() && !utf8.ValidString(name):
		s.refuse(name, CodeFile, "is a folder whose name is not UTF-8, so that no file in it can be named; rename it")
		return fs.SkipDir
	case err != nil:
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
	case entry.IsDir() && strings.Count(name, "/") >= maxFolders:
		s.refuse(name, CodeTooLarge, "is nested deeper than %d folders; a schema folder is not that deep", maxFolders)
		return fs.SkipDir
	case entry.Type()&fs.ModeSymlink != 0:
		return s.link(name)
	case isSchemaFile(name) && !entry.IsDir():
		return s.file(name)
	}
	return nil
}

// link takes a symbolic link to a file of the folder as that file. What leads elsewhere is refused.
func (s *scanner) link(name string) error {
	info, err := s.root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
		s.refuse(name, CodeFile, "is a link that leaves the schema folder or leads nowhere; a schema folder holds all its files itself")
	case info.IsDir():
		s.refuse(name, CodeFile, "is a link to a folder, which is not followed: put the files here, or import from where they are")
	case isSchemaFile(name):
		return s.file(name)
	}
	return nil
}

func (s *scanner) file(name string) error {
	if len(s.sources) == MaxFiles {
		s.refuse("", CodeTooLarge, "the schema folder holds more than %d schema files", MaxFiles)
		return errEnough
	}
	if !schema.IsVisible(name) { // no message and no import could name it, and it may look like another one
		s.refuse(name, CodeFile, "has a name or a folder whose name is not UTF-8 or holds characters that cannot be seen, written here as escapes; rename it")
		return nil
	}
	text, err := s.read(name)
	switch {
	case err != nil:
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
	case len(text) > MaxFileBytes:
		s.refuse(name, CodeTooLarge, "is larger than %d bytes, the most a schema file may have", MaxFileBytes)
	case !utf8.Valid(text):
		s.refuse(name, CodeSyntax, "is not UTF-8 text")
	default:
		if s.bytes += len(text); s.bytes > MaxBytes {
			s.refuse("", CodeTooLarge, "the schema files have more than %d bytes together", MaxBytes)
			return errEnough
		}
		s.sources = append(s.sources, source{name, string(text)})
	}
	return nil
}

// read reads a file, or the beginning of one that is too large.
func (s *scanner) read(name string) ([]byte, error) {
	at := filepath.FromSlash(name)
	info, err := s.root.Stat(at)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil, errors.New("it is not a regular file")
	}
	file, err := s.root.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
}

// reason leaves out of an error of the file system what the issue says already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func skipped(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") || base == "node_modules" || base == "dist"
}

// isSchemaFile tells by its name whether a file is scanned. Declarations of types, such as .d.ts, declare no values.
func isSchemaFile(name string) bool {
	ext := path.Ext(name)
	return slices.Contains(extensions, ext) && path.Ext(strings.TrimSuffix(name, ext)) != ".d"
}
