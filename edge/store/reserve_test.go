package store

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestAReserveIsGivenUpOnAFullDiskAlone: and set aside again once there is more room than changes need.
func TestAReserveIsGivenUpOnAFullDiskAlone(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	if err := disk.MkdirAll("edge", 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Dir: "edge", MinFree: 100, fs: disk}
	r := newReserve(&cfg, &diskGuard{fs: disk, dir: "edge", keep: cfg.MinFree})
	if r.size != 50 {
		t.Fatalf("the reserve has %d bytes: given up, it would let changes in", r.size)
	}
	for _, step := range []struct {
		name  string
		avail uint64
		do    func() error
		there bool
	}{
		{"too little to spare", 149, r.take, false},
		{"room", 150, r.take, true},
		{"room, again", 150, r.take, true},
		{"a start with room for it", 50, r.release, true},
		{"a start on a full disk", 49, r.release, false},
		{"another one", 0, r.release, false},
		{"still full", 99, r.take, false},
		{"room again", 1000, r.take, true},
	} {
		disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: step.avail})
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if _, err := disk.Stat(r.path); errors.Is(err, fs.ErrNotExist) == step.there {
			t.Errorf("%s: the file is there: %v", step.name, !step.there)
		}
	}
}
