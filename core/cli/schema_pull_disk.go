package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// onDisk is what a place of the folder holds.
type onDisk struct {
	there bool
	data  []byte
	mode  fs.FileMode
	link  string // what a symbolic link names; then data and mode are those of what it leads to
}

func readDisk(file string) (onDisk, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return onDisk{}, nil
	}
	if err != nil {
		return onDisk{}, err
	}
	d := onDisk{there: true}
	if info.Mode()&fs.ModeSymlink != 0 {
		if d.link, err = os.Readlink(file); err != nil {
			return onDisk{}, err
		}
		if info, err = os.Stat(file); err != nil {
			return onDisk{}, err
		}
	}
	if !info.Mode().IsRegular() {
		return onDisk{}, &fs.PathError{Op: "read", Path: file, Err: errors.New("it is no file")}
	}
	d.mode = info.Mode().Perm()
	d.data, err = os.ReadFile(file)
	return d, err
}

// is compares what a reader sees.
func (d onDisk) is(other onDisk) bool {
	return d.there == other.there && d.link == other.link && bytes.Equal(d.data, other.data)
}

// putBack makes a place hold this again.
func (d onDisk) putBack(file string) error {
	switch {
	case !d.there:
		return os.Remove(file)
	case d.link != "":
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Symlink(d.link, file)
	}
	staged, _, err := stageFile(file, d.data, d.mode)
	if err != nil {
		return err
	}
	if err := os.Rename(staged, file); err != nil {
		os.Remove(staged) //nolint:errcheck // the failure is told already
		return err
	}
	return nil
}
