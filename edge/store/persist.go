package store

import (
	"github.com/cockroachdb/pebble/v2"
)

// commit writes a batch without waiting for the disk. What it holds is there for every reader at once, and on disk before
// long (persist); a crash before that loses the newest changes of the store together, which are then followed again.
func (s *Store) commit(batch *pebble.Batch) error {
	defer s.unsynced.Store(true)
	return batch.Commit(pebble.NoSync)
}

// persist brings what was committed to disk. Pebble by itself writes its log in whole blocks: of an edge where little is
// published a crash would lose all of it, however long ago it came, and an edge that starts again while nobody can tell it
// anything would have nothing to serve.
func (s *Store) persist() {
	if !s.unsynced.Swap(false) {
		return
	}
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		s.cfg.Logger.Error("what an edge holds cannot be brought to disk", "error", err)
		s.unsynced.Store(true)
	}
}
