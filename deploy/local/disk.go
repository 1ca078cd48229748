package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A part of Config.Disks keeps its data on a file system of its own, in memory, which can be filled up.

// ErrNoMount says that the supervisor may not mount file systems: it does not run as root, or its container forbids it.
var ErrNoMount = errors.New("mounting a file system is not permitted")

func (s *Stack) disks() string { return filepath.Join(s.cfg.Dir, "disks") }

func (s *Stack) disk(name string) string { return filepath.Join(s.disks(), name) }

// mountDisk gives a part its disk, unless it has it already.
func (s *Stack) mountDisk(name string) error {
	size := s.cfg.Disks[name]
	if size == 0 {
		return nil
	}
	dir := s.disk(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("disk of %s: %w", name, err)
	}
	mounted, err := isMounted(dir)
	if err != nil || mounted {
		return err
	}
	if err := MountMemory(dir, size); err != nil {
		return fmt.Errorf("disk of %s: %w", name, err)
	}
	return nil
}

// MountMemory mounts a file system of so many bytes, in memory, on a directory. The error is ErrNoMount where that is not
// permitted.
func MountMemory(dir string, size int64) error {
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", size))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("%w: %w", ErrNoMount, err)
	}
	return err
}

// isMounted tells whether a directory is on another device than its parent.
func isMounted(dir string) (bool, error) {
	var own, parent syscall.Stat_t
	if err := errors.Join(syscall.Stat(dir, &own), syscall.Stat(filepath.Dir(dir), &parent)); err != nil {
		return false, fmt.Errorf("look at %s: %w", dir, err)
	}
	return own.Dev != parent.Dev, nil
}

// unmountDisks takes every disk away, with what is on it.
func (s *Stack) unmountDisks() error {
	disks, err := os.ReadDir(s.disks())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("disks of the stack: %w", err)
	}
	var faults []error
	for _, d := range disks {
		dir := s.disk(d.Name())
		mounted, err := isMounted(dir)
		if err == nil && mounted {
			err = syscall.Unmount(dir, syscall.MNT_DETACH)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("disk of %s: %w", d.Name(), err))
		}
	}
	return errors.Join(faults...)
}

// ballast is the file that fills a disk.
func (s *Stack) ballast(name string) string { return filepath.Join(s.disk(name), "ballast") }

// FillDisk fills the disk of a part until only so many bytes are free. It may be done again, to leave another number.
func (s *Stack) FillDisk(name string, leave int64) error {
	var err error
	for range 20 { // the part may take some of what is free meanwhile
		if err = s.fillDisk(name, leave); !errors.Is(err, syscall.ENOSPC) {
			break
		}
	}
	return err
}

func (s *Stack) fillDisk(name string, leave int64) error {
	if err := s.FreeDisk(name); err != nil {
		return err
	}
	free, err := s.DiskFree(name)
	if err != nil {
		return err
	}
	file, err := os.Create(s.ballast(name))
	if err != nil {
		return fmt.Errorf("fill the disk of %s: %w", name, err)
	}
	err = syscall.Fallocate(int(file.Fd()), 0, 0, max(1, free-leave))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("fill the disk of %s: %w", name, err)
	}
	return nil
}

// FreeDisk takes away what FillDisk put there.
func (s *Stack) FreeDisk(name string) error {
	if s.cfg.Disks[name] == 0 {
		return fmt.Errorf("%s has no disk of its own: Config.Disks gives it one", name)
	}
	if err := os.Remove(s.ballast(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("free the disk of %s: %w", name, err)
	}
	return nil
}

// DiskFree is how many bytes are free on the disk of a part.
func (s *Stack) DiskFree(name string) (int64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(s.disk(name), &stat); err != nil {
		return 0, fmt.Errorf("disk of %s: %w", name, err)
	}
	return int64(stat.Bavail) * stat.Bsize, nil
}
