package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/shared/read"
	"svc/shared/read/readtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	readtest.Run(t, func(t *testing.T) readtest.Subject { return newSubject(t, vfs.NewMem()) })
}

func TestScripts(t *testing.T) {
	t.Parallel()
	readtest.Replay(t, func(t *testing.T) readtest.Site { return readtest.EngineSite(newSubject(t, vfs.NewMem())) })
}

func TestScriptsWithACache(t *testing.T) {
	t.Parallel()
	cache, err := read.NewCache(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("scripts", func(t *testing.T) {
		readtest.Replay(t, func(t *testing.T) readtest.Site { return readtest.CachedSite(newSubject(t, vfs.NewMem()), cache) })
	})
	cache.Close()
	if cache.Hits.Load() == 0 {
		t.Error("no answer came from the cache")
	}
}
