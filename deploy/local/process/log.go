package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// logLimit is the size in bytes beyond which a log file makes room for a new one at the next start.
const logLimit = 16 << 20

func openLog(path string) (*os.File, error) {
	if path == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("log directory: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("rotate log: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return file, nil
}

// Tail returns the last lines of a log file, for error messages; empty when there is nothing to show.
func Tail(path string, lines int) string { return tail(path, 0, lines) }

// Tail returns the last lines that the program itself has written into its log file, and none of earlier runs.
func (p *Process) Tail(lines int) string { return tail(p.spec.Log, p.begin, lines) }

// tail returns the last lines behind a place in a file.
func tail(path string, begin int64, lines int) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	const window = 16 << 10
	if _, err := file.Seek(max(begin, info.Size()-window), io.SeekStart); err != nil {
		return ""
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return ""
	}
	all := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}

// Errors returns the last lines of a log file in which a program of the product tells an error; none where there is no
// such file.
func Errors(path string, lines int) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var found []string
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(`"level":"ERROR"`)) {
			found = append(found, string(bytes.TrimSpace(line)))
		}
	}
	return found[max(0, len(found)-lines):]
}
