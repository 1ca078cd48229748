package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// rows is the body of an import. It counts the lines that go by, and keeps the error that reading ended with.
type rows struct {
	from io.ReadCloser

	mu    sync.Mutex
	line  int   // that is being read, from 0
	inRow bool  // it holds more than space
	rows  []int // the line of each row so far, from 1; empty lines are none
	err   error
}

func (r *rows) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range p[:n] {
		switch {
		case b == '\n':
			r.line, r.inRow = r.line+1, false
		case !r.inRow && b != ' ' && b != '\t' && b != '\r':
			r.rows, r.inRow = append(r.rows, r.line+1), true
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Close closes the file. It is called by the request as well, so a second call does no harm.
func (r *rows) Close() error { return r.from.Close() }

// failure is what reading failed with, or nil.
func (r *rows) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// lineOf is the line of a row, both counted as they are told: rows from 0, lines from 1. It is 0 for a row that was not read.
func (r *rows) lineOf(row int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if row >= len(r.rows) {
		return 0
	}
	return r.rows[row]
}

// rowPath is how the service names a part of a row: "entries[3].data.title".
var rowPath = regexp.MustCompile(`^entries\[(\d{1,9})\]\.?(.*)$`)

// at tells in which lines of the file the service found what it refuses.
func (r *rows) at(file string, f *failure) *failure {
	for i, it := range f.Errors {
		part := rowPath.FindStringSubmatch(it.Path)
		if part == nil {
			continue
		}
		row, err := strconv.Atoi(part[1])
		if line := r.lineOf(row); err == nil && line > 0 {
			f.Errors[i].File, f.Errors[i].Line, f.Errors[i].Path = file, line, part[2]
		}
	}
	if len(f.Errors) == 1 && f.Errors[0].Line > 0 {
		f.tellRow(&f.Errors[0])
	}
	return f
}

// tellRow makes the only finding about a row the detail.
func (f *failure) tellRow(only *issue) {
	if only.Path != "" {
		f.Detail = fmt.Sprintf("line %d: %s: %s", only.Line, only.Path, only.Message)
		return
	}
	if only.Message == "must be an object" {
		only.Message = "is not a JSON object"
	}
	f.Detail = fmt.Sprintf("line %d %s", only.Line, only.Message)
}
