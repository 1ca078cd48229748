package localtest

import (
	"errors"
	"syscall"
	"testing"
)

// NeedsDisks skips a test that gives parts disks of their own where file systems cannot be mounted.
func NeedsDisks(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=65536"); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			t.Skipf("small disks need the permission to mount file systems: run the tests as root, in a container with CAP_SYS_ADMIN (%v)", err)
		}
		t.Fatalf("mount a small disk: %v", err)
	}
	if err := syscall.Unmount(dir, 0); err != nil {
		t.Fatalf("unmount a small disk: %v", err)
	}
}
