package cli

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// rows is the body of an import. It counts what goes by, and keeps the error that reading ended with.
type rows struct {
	from  io.ReadCloser
	total int64 // bytes; 0 where it is not known

	mu    sync.Mutex
	bytes int64
	lines int
	open  bool // the last line has no end yet
	err   error
}

func (r *rows) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += int64(n)
	r.lines += bytes.Count(p[:n], []byte{'\n'})
	if n > 0 {
		r.open = p[n-1] != '\n'
	}
	if err != nil {
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
	if r.err == nil || errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// progress says how far the rows have gone.
func (r *rows) progress() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	if r.open {
		lines++
	}
	text := counted(lines, "row", "rows") + ", " + bytesText(r.bytes)
	switch {
	case errors.Is(r.err, io.EOF):
		return text + " sent, waiting for the service"
	case r.total > 0:
		return text + " of " + bytesText(r.total) + " sent"
	}
	return text + " sent"
}
