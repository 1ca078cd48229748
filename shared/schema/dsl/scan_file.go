package dsl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// link takes a symbolic link to a file of the folder as that file. What leads elsewhere is refused.
func (s *scanner) link(name string) error {
	info, err := s.root.Stat(filepath.FromSlash(name))
	switch {
	case err == nil && info.IsDir():
		s.refuse(name, CodeFile, "is a link to a folder, which is not followed: put the files here, or import from where they are")
	case err == nil && isSchemaFile(name):
		return s.file(s.root, name, name)
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

// file takes the file that is at in a folder that is open.
func (s *scanner) file(folder *os.Root, at, name string) error {
	if len(s.sources) == MaxFiles {
		s.refuse("", CodeTooLarge, "the schema folder holds more than %d schema files", MaxFiles)
		return errEnough
	}
	text, err := read(folder, at)
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

func read(folder *os.Root, name string) ([]byte, error) {
	at := filepath.FromSlash(name)
	info, err := folder.Stat(at)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > MaxFileBytes:
		return nil, errTooLarge
	}
	file, err := folder.Open(at)
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
