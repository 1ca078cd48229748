package localtest

import (
	"errors"
	"syscall"
	"testing"

	"svc/deploy/local"
)

// NeedsDisks skips a test that gives parts disks of their own where file systems cannot be mounted.
func NeedsDisks(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	if err := local.MountMemory(dir, 64<<10); err != nil {
		if errors.Is(err, local.ErrNoMount) {
			t.Skipf("small disks need the permission to mount file systems: run the tests as root, in a container with CAP_SYS_ADMIN (%v)", err)
		}
		t.Fatalf("mount a small disk: %v", err)
	}
	if err := syscall.Unmount(dir, 0); err != nil {
		t.Fatalf("unmount a small disk: %v", err)
	}
}
