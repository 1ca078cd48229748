package cli

import (
	"errors"
	"os"
	"path/filepath"
)

// errLocked says that another pull is at work in a folder.
var errLocked = errors.New("another pull is at work there")

// folderLock keeps other pulls out of a schema folder until it is released or the process is gone; pulls that only read
// the folder share it. Nothing is written for it.
type folderLock struct {
	shared bool
	path   string
	held   []*os.File
}

// lockFolder locks a schema folder; where it is missing, the nearest one above.
func (a *app) lockFolder(dir string, shared bool) (*folderLock, error) {
	l := &folderLock{shared: shared, path: nearestFolder(dir)}
	return l, a.hold(l)
}

// lockMade adds the schema folder itself to a lock that was taken above it, once it is there.
func (a *app) lockMade(l *folderLock, dir string) error {
	if l.path == dir {
		return nil
	}
	l.path = dir
	return a.hold(l)
}

func (a *app) hold(l *folderLock) error {
	folder, err := os.Open(l.path)
	if err != nil {
		return a.folderError(l.path, err)
	}
	l.held = append(l.held, folder)
	switch err := lock(folder, l.shared); {
	case errors.Is(err, errLocked):
		f := failed("another pull is at work in %s; nothing was changed", a.shown(l.path))
		f.hint = "try again when it is done"
		return f
	case err != nil:
		return failed("the schema folder %s cannot be locked: %v", a.shown(l.path), err)
	}
	return nil
}

func (l *folderLock) release() {
	for _, folder := range l.held {
		folder.Close() //nolint:errcheck // it was read at most
	}
}

// nearestFolder is a folder, or the first one above that is there.
func nearestFolder(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
