//go:build unix && !aix && !solaris

package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks an open folder. A file system that has no locks is no reason not to write to it.
func lock(folder *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	for {
		err := unix.Flock(int(folder.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EBADF):
			return nil // over NFS, an exclusive lock wants a file that may be written
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
}
