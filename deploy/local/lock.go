package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lockDir takes the directory of a stack for this process. The kernel gives the lock back when the process ends, however
// it ends; children do not inherit it.
func lockDir(dir string) (*os.File, error) {
	path := lockFile(dir)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock of the stack: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		running := &RunningError{Dir: dir, Pid: readPid(file)}
		return nil, errors.Join(running, file.Close())
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file, nil
}

// lockHolder is who runs the stack of a directory; nil when no one does.
func lockHolder(dir string) (*RunningError, error) {
	file, err := os.Open(lockFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock of the stack: %w", err)
	}
	// Closing it gives back what is taken here.
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return &RunningError{Dir: dir, Pid: readPid(file)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return nil, nil
}

func lockFile(dir string) string { return filepath.Join(dir, "local.lock") }

// readPid reads who holds the lock; 0 when that has not been written yet.
func readPid(file *os.File) int {
	text, err := io.ReadAll(file)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
