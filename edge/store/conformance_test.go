package store

import (
	"slices"
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
	var caches []*read.Cache
	t.Run("scripts", func(t *testing.T) {
		readtest.Replay(t, func(t *testing.T) readtest.Site {
			cache, err := read.NewCache(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cache.Close)
			caches = append(caches, cache)
			return readtest.CachedSite(newSubject(t, vfs.NewMem()), cache)
		})
	})
	if !slices.ContainsFunc(caches, func(c *read.Cache) bool { return c.Hits.Load() > 0 }) {
		t.Error("no answer came from a cache")
	}
}
