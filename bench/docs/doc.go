// Package docs reads a documentation site's text and editing history, puts both into a project through the management
// API, one release for each edit, and compares what a node serves at any release with the source.
//
// A page of the site has one text per locale. It becomes one entry whose fields are all localized; the slug is the path
// with hyphens for slashes.
package docs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// The files of a data set, in its directory.
const (
	BaseFile  = "docs-base.jsonl.zst"
	EditsFile = "docs-releases.jsonl.zst"
)

// ErrAbsent says that there is no data set in a directory.
var ErrAbsent = errors.New("the documentation site's text is not there")

// Text is what a page says in one locale.
type Text struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Type        string `json:"type"`
	I18nReady   bool   `json:"i18nReady"`
	Body        string `json:"body"`
}

// Change is one line of an edit: a text that is put in place of the one before, or one that goes.
type Change struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	Locale string `json:"locale"`
	Text
}

// Delete says that the text goes.
const Delete = "delete"

// Edit is one published edit; some change nothing.
type Edit struct {
	Time    string   `json:"time"`
	Changes []Change `json:"changes"`
}

// History is a site and all that happened to it afterwards.
type History struct {
	Base  Site
	Edits []Edit
}

// Load reads the data set of a directory. Without it the error is ErrAbsent and says what was expected where.
func Load(dir string) (*History, error) {
	h := &History{Base: Site{}}
	err := lines(filepath.Join(dir, BaseFile), func(c Change) error {
		h.Base.put(c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = lines(filepath.Join(dir, EditsFile), func(e Edit) error {
		h.Edits = append(h.Edits, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// window is what the files were compressed with.
const window = 1 << 27

func lines[T any](path string, take func(T) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s does not exist", ErrAbsent, path)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer plain.Close()
	decoder := jsontext.NewDecoder(plain)
	for n := 1; ; n++ {
		var line T
		err := json.UnmarshalDecode(decoder, &line, json.RejectUnknownMembers(true))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(line)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
}

// Slug is the slug of a path.
func Slug(path string) string { return strings.ReplaceAll(path, "/", "-") }
