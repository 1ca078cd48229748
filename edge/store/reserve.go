package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// reserveName names the file that holds the reserve.
const reserveName = "reserve"

// reserve holds room on the disk, so that a store can be opened however full the disk is: to open one, Pebble writes what
// was in its log into tables, and a new log. Its file has no content, only blocks.
type reserve struct {
	disk *diskGuard
	path string
	size uint64
}

// newReserve returns the reserve of a store: enough for every memtable that a log may hold, and too little to let the store
// take changes again once it is given up.
func newReserve(cfg *Config, disk *diskGuard) reserve {
	return reserve{disk, cfg.fs.PathJoin(cfg.Dir, reserveName), min(4*uint64(cfg.memtableBytes())+8<<20, cfg.MinFree/2)}
}

// release gives the reserve up where the disk has less room than that.
func (r reserve) release() error {
	available, known, err := r.disk.available()
	if errors.Is(err, fs.ErrNotExist) { // there is no store yet
		return nil
	}
	if err != nil || !known || available >= r.size {
		return err
	}
	if err := r.disk.fs.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("give up the reserve on a full disk: %w", err)
	}
	return nil
}

// take sets the room aside where nothing is and the disk has so much to spare. A system that cannot do so has no reserve.
func (r reserve) take() error {
	disk := r.disk.fs
	if _, err := disk.Stat(r.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	available, known, err := r.disk.available()
	if err != nil || !known || available < r.disk.keep+r.size {
		return err
	}
	f, err := disk.Create(r.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("set a reserve aside: %w", err)
	}
	err = errors.Join(f.Preallocate(0, int64(r.size)), f.Sync(), f.Close())
	if err != nil {
		err = errors.Join(err, disk.Remove(r.path))
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}
