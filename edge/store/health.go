package store

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
)

// Health is how the store and its disk are doing.
type Health struct {
	Bytes uint64 // of the store on the disk
	// Free is what the disk has left for the store, and Keep what a write must leave of it. Free is unknown where the
	// system does not tell.
	Free, Keep uint64
	FreeKnown  bool

	ReadAmplification      int    // files that a read may have to look at
	CompactionDebt         uint64 // bytes to be rewritten until the store is in order
	CacheBytes             int64  // blocks in memory
	CacheHits, CacheMisses int64
	Loaded                 int64 // weight in bytes of the projects in memory
	Users                  int64 // views, changes and loads under way
	Building               int   // projects in which indexes of new fields are being built; until then such lists take longer
	Indexing               int   // projects whose words wait for being indexed, or are being; until then searches take longer
}

// Health tells how the store is doing now.
func (s *Store) Health() (Health, error) {
	if err := s.enter(); err != nil {
		return Health{}, err
	}
	defer s.exit()
	m := s.db.Metrics()
	h := Health{
		Bytes: m.DiskSpaceUsage(), Keep: s.disk.keep, ReadAmplification: m.ReadAmp(), CompactionDebt: m.Compact.EstimatedDebt,
		CacheBytes: m.BlockCache.Size, CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
		Loaded: s.resident.Load(), Users: s.users.Load() - 1,
	}
	for range s.unbuilt.Range {
		h.Building++
	}
	h.Indexing = s.countIndexing()
	var err error
	h.Free, h.FreeKnown, err = s.disk.available()
	return h, err
}

// countIndexing counts the projects whose words are due or being indexed. They leave the former for the latter.
func (s *Store) countIndexing() int {
	projects := map[any]bool{}
	for _, some := range []*sync.Map{&s.textsDue, &s.indexing} {
		for id := range some.Range {
			projects[id] = true
		}
	}
	return len(projects)
}

// Remove deletes the store in a directory, so that the next New begins with an empty one. It fails where a process has
// the store open.
func Remove(dir string) (err error) {
	disk := vfs.Default
	path := disk.PathJoin(dir, layout.Version)
	if _, err := disk.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := pebble.LockDirectory(path, disk)
	if err != nil {
		return fmt.Errorf("the store in %s is in use; stop the edge first: %w", dir, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	for _, name := range []string{layout.Version, runName, reserveName} {
		if err := disk.RemoveAll(disk.PathJoin(dir, name)); err != nil {
			return fmt.Errorf("remove the store in %s: %w", dir, err)
		}
	}
	return nil
}
