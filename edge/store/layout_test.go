package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
)

// A directory of another layout is replaced; what else lies there is left alone.
func TestOtherLayoutsAreRemoved(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	for _, dir := range []string{"/store/v0/x", "/store/v12", "/store/vault", "/store/other"} {
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	newSubject(t, fs)
	names, err := fs.List("/store")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, name := range names {
		got[name] = true
	}
	if got["v0"] || got["v12"] || !got["vault"] || !got["other"] || !got[layout.Version] {
		t.Errorf("the directory holds %v", names)
	}
}
