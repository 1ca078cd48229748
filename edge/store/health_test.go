package store

import (
	"errors"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestHealthTellsHowFullTheDiskIs(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Dir: t.TempDir(), MinFree: 12345})
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Health()
	if err != nil || !h.FreeKnown || h.Free == 0 || h.Keep != 12345 || h.Bytes == 0 || h.Users != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Health(); err == nil {
		t.Error("a closed store is well")
	}
	memory, err := New(Config{Dir: "x", fs: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	if h, err := memory.Health(); err != nil || h.FreeKnown {
		t.Errorf("%+v, %v", h, err)
	}
	if err := memory.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreInUseIsNotRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Remove(dir); err != nil {
		t.Errorf("where there is none: %v", err)
	}
	s, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); err == nil {
		t.Error("a store in use was removed")
	}
	if err := errors.Join(s.Close(), Remove(dir)); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("left: %v, %v", names, err)
	}
}
