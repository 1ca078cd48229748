package dsl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
	root    *os.Root
	sources []source
	issues  []Issue
	walked  int
	bytes   int64
}

var errEnough = errors.New("enough of this folder")

// scan reads the schema files of a folder, by path. Files that cannot be taken become issues, and reading goes on.
func scan(dir string) ([]source, []Issue, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	s := &scanner{root: root}
	err = fs.WalkDir(root.FS(), ".", s.visit)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, nil, fmt.Errorf("read the schema folder %s: %w", dir, err)
	}
	slices.SortFunc(s.sources, func(a, b source) int { return strings.Compare(a.Path, b.Path) })
	return s.sources, s.issues, nil
}

func (s *scanner) refuse(file string, code Code, format string, args ...any) {
	s.issues = append(s.issues, Issue{File: schema.Visible(file), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (s *scanner) visit(name string, entry fs.DirEntry, err error) error {
	if s.walked++; s.walked > maxWalked {
		s.refuse("", CodeTooLarge, "the folder holds more than %d files and folders: this is hardly a schema folder", maxWalked)
		return errEnough
	}
	switch {
	case err != nil && name != "." && errors.Is(err, fs.ErrPermission):
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
		return nil
	case err != nil:
		return err
	case skipped(name) && entry.IsDir():
		return fs.SkipDir
	case skipped(name):
		return nil
	case entry.IsDir() && !utf8.ValidString(name):
		s.refuse(name, CodeFile, "is a folder whose name is not UTF-8, so that no file in it can be named; rename it")
		return fs.SkipDir
	case entry.IsDir():
		return nil
	case isSchemaFile(name) && !schema.IsVisible(name):
		s.refuse(name, CodeFile, "%s", hiddenName(name))
		return nil
	case entry.Type()&fs.ModeSymlink != 0:
		return s.link(name)
	case !isSchemaFile(name):
		return nil
	}
	return s.file(name)
}

// hiddenName says why the name of a file cannot be taken: no message and no import could name it, and it may look like
// another one.
func hiddenName(name string) string {
	if !utf8.ValidString(name) {
		return "has a name or a folder whose name is not UTF-8; rename it"
	}
	return "has a name or a folder whose name holds characters that cannot be seen, written here as escapes; rename it"
}

// link takes a symbolic link to a file of the folder as that file. What leads elsewhere is refused.
func (s *scanner) link(name string) error {
	info, err := s.root.Stat(filepath.FromSlash(name))
	switch {
	case err == nil && info.IsDir():
		s.refuse(name, CodeFile, "is a link to a folder, which is not followed: put the files here, or import from where they are")
	case err == nil && isSchemaFile(name):
		return s.file(name)
	case err != nil && (isSchemaFile(name) || leadsToFolder(s.root, name)):
		s.refuse(name, CodeFile, "is a link that leaves the schema folder or leads nowhere; a schema folder holds all its files itself")
	}
	return nil
}

// leadsToFolder tells of a link out of the folder whether somebody might miss what is behind it.
func leadsToFolder(root *os.Root, name string) bool {
	info, err := os.Stat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

func (s *scanner) file(name string) error {
	if len(s.sources) == MaxFiles {
		s.refuse("", CodeTooLarge, "the schema folder holds more than %d schema files", MaxFiles)
		return errEnough
	}
	text, err := s.read(name)
	switch {
	case errors.Is(err, errTooLarge):
		s.refuse(name, CodeTooLarge, "is larger than %d bytes, the most a schema file may have", MaxFileBytes)
	case err != nil:
		s.refuse(name, CodeFile, "cannot be read: %s", reason(err))
	case !utf8.Valid(text):
		s.refuse(name, CodeSyntax, "is not UTF-8 text")
	default:
		if s.bytes += int64(len(text)); s.bytes > MaxBytes {
			s.refuse("", CodeTooLarge, "the schema files have more than %d bytes together", MaxBytes)
			return errEnough
		}
		s.sources = append(s.sources, source{Path: name, Text: string(text)})
	}
	return nil
}

var errTooLarge = errors.New("too large")

func (s *scanner) read(name string) ([]byte, error) {
	at := filepath.FromSlash(name)
	info, err := s.root.Stat(at)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > MaxFileBytes:
		return nil, errTooLarge
	}
	file, err := s.root.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
	if err == nil && len(text) > MaxFileBytes {
		err = errTooLarge
	}
	return text, err
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
	return base != "." && strings.HasPrefix(base, ".") || base == "node_modules" || base == "dist"
}

// isSchemaFile tells by its name whether a file is scanned. Declarations of types, such as .d.ts, declare no values.
func isSchemaFile(name string) bool {
	ext := path.Ext(name)
	return slices.Contains(extensions, ext) && path.Ext(strings.TrimSuffix(name, ext)) != ".d"
}
