package store

import (
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

const (
	sweepInterval = time.Second
	idleSweeps    = 10 // without a read, after which a project leaves memory
	renewSweeps   = 2  // after which a snapshot is renewed
	reserveSweeps = 60 // after which the reserve is looked for
)

func (s *Store) everySecond(do func()) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			do()
		case <-s.stop:
			return
		}
	}
}

// sweep takes projects out of memory that were not read lately, and renews the snapshots of the others: an old snapshot keeps
// Pebble from dropping what was deleted in any project.
func (s *Store) sweep() {
	now := s.tick.Add(1)
	if now%reserveSweeps == 1 {
		if err := s.reserve.take(); err != nil {
			s.cfg.Logger.Error("no room on the disk can be set aside for the next start", "error", err)
		}
	}
	s.logs.Range(func(_, value any) bool {
		l := value.(*log)
		idle := now-l.used.Load() > idleSweeps
		if b := l.current.Load(); b != nil {
			if idle {
				s.unload(l)
			} else if now-b.born >= renewSweeps {
				s.renew(l)
			}
		}
		if idle && l.writing.TryLock() {
			l.state = nil
			l.writing.Unlock()
		}
		return true
	})
}

// evict takes the projects out of memory that were read longest ago, where more are there than the budget allows.
func (s *Store) evict() {
	limit := s.cfg.metaBytes()
	if s.resident.Load() <= limit || !s.evicting.TryLock() {
		return
	}
	defer s.evicting.Unlock()
	type candidate struct {
		l    *log
		used int64
	}
	var loaded []candidate
	s.logs.Range(func(_, value any) bool {
		if l := value.(*log); l.current.Load() != nil {
			loaded = append(loaded, candidate{l, l.used.Load()})
		}
		return true
	})
	slices.SortFunc(loaded, func(a, b candidate) int { return int(a.used - b.used) })
	for _, c := range loaded {
		if s.resident.Load() <= limit*3/4 {
			return
		}
		s.unload(c.l)
	}
}

// commit writes a batch without waiting for the disk. What it holds is there for every reader at once, and on disk before
// long (persist); a crash before that loses the newest changes of the store together, which are then followed again.
func (s *Store) commit(batch *pebble.Batch) error {
	defer s.unsynced.Store(true)
	return batch.Commit(pebble.NoSync)
}

// persist brings what was committed to disk. Pebble by itself writes its log in whole blocks: of an edge where little is
// published a crash would lose all of it, however long ago it came, and an edge that starts again while core cannot be reached
// would have nothing to serve.
func (s *Store) persist() {
	if !s.unsynced.Swap(false) {
		return
	}
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		s.cfg.Logger.Error("what an edge holds cannot be brought to disk", "error", err)
		s.unsynced.Store(true)
	}
}
