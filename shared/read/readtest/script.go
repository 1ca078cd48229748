package readtest

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"svc/shared/problem"
)

// Scripts are HTTP exchanges with what must come back. A script is made of blocks between empty lines; lines that
// begin with # are comments. A block is either changes, one a line, or a call:
//
//	GET /v1/projects/shop/collections/posts/entries
//	origin: https://shop.example
//	---
//	200
//	cache-control: public, max-age=0, must-revalidate
//	{"data":[],"pagination":{"nextCursor":null}}
//
// In a call {key NAME} stands for the secret of a key, {cursor} for the nextCursor and {etag} for the ETag of the
// answer before. Of the answer's headers those that the read itself decides are compared; a coded body is decoded
// first, and "(the same body)" stands for one that is equal to the one before. Changes:
//
//	project NAME {"locales": …}               settings, over those from before
//	schema COLLECTION VERSION LABEL {…}       canonical JSON
//	remove COLLECTION
//	skip N                                    leave out the next N release numbers
//	release                                   the lines that follow are its items:
//	put COLLECTION ENTRY SLUG {…}             entry by number; - for no slug
//	unpublish COLLECTION ENTRY
//	delete COLLECTION ENTRY
//	rank COLLECTION ENTRY=RANK …
//	key NAME SCOPE,… [org=N] [project=NAME] [collections=A,B] [expired] [revoked]
//
//go:embed testdata/*.txt
var scripts embed.FS

type script struct {
	name   string
	blocks []block
}

// block keeps its text, so that a script can be written again with other answers.
type block struct {
	line    int // of its first line, from 1
	text    []string
	changes []string
	call    *Call
	want    []string // status, headers, body
}

func load() ([]script, error) {
	names, err := fs.Glob(scripts, "testdata/*.txt")
	if err != nil {
		return nil, err
	}
	var out []script
	for _, name := range names {
		data, err := scripts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parse(name, string(data))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func parse(name, text string) (script, error) {
	s := script{name: name}
	var b block
	end := func(next int) error {
		if len(b.text) > 0 {
			if err := b.parse(); err != nil {
				return fmt.Errorf("%s:%d: %w", name, b.line, err)
			}
			s.blocks = append(s.blocks, b)
		}
		b = block{line: next}
		return nil
	}
	b.line = 1
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line == "" {
			if err := end(i + 2); err != nil {
				return s, err
			}
			continue
		}
		b.text = append(b.text, line)
	}
	return s, end(0)
}

func (b *block) parse() error {
	for i, line := range b.text {
		switch {
		case strings.HasPrefix(line, "#"):
		case b.call == nil && isMethod(line):
			method, target, _ := strings.Cut(line, " ")
			b.call = &Call{Method: method, Target: target}
		case b.call == nil:
			b.changes = append(b.changes, line)
		case line == "---":
			b.want = b.text[i+1:]
			return nil
		default:
			name, value, found := strings.Cut(line, ": ")
			if !found {
				return fmt.Errorf("%q is no header", line)
			}
			b.call.Headers = append(b.call.Headers, problem.Header{Name: name, Value: value})
		}
	}
	if b.call != nil && len(b.changes) > 0 {
		return fmt.Errorf("a call and changes in one block")
	}
	return nil
}

func isMethod(line string) bool {
	method, _, found := strings.Cut(line, " /")
	return found && strings.ToUpper(method) == method
}
