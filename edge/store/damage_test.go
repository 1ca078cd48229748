package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A store whose files are damaged or gone does not open, and says what to do about it; done, it opens.
func TestADamagedStoreNamesTheWayOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files  string
		damage func(path string) error
	}{
		{"MANIFEST-*", os.Remove},
		{"MANIFEST-*", func(path string) error { return os.WriteFile(path, []byte("no manifest"), 0o600) }},
		{"*.sst", os.Remove},
	} {
		cfg := Config{Dir: t.TempDir()}
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.db.Set([]byte("key"), []byte("value"), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(filepath.Join(s.path, c.files))
		if err != nil || len(paths) == 0 {
			t.Fatalf("there is no %s, %v", c.files, err)
		}
		for _, path := range paths {
			if err := c.damage(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "edge rebuild --from-nothing") {
			t.Errorf("%s: %v", c.files, err)
		}
		if err := Remove(cfg.Dir); err != nil {
			t.Fatal(err)
		}
		if s, err = New(cfg); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
