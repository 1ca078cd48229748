package store

import (
	"errors"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// projectState is one moment of a project: a snapshot and what belongs to it in memory. It is counted: one reference is the
// log's, one each view's. The last to close it closes the snapshot.
type projectState struct {
	meta    *meta
	snap    *pebble.Snapshot
	commits uint64 // of the log at this moment
	born    int64  // sweep
	refs    atomic.Int64
}

func newProjectState(m *meta, snap *pebble.Snapshot, commits uint64, born int64) *projectState {
	b := &projectState{meta: m, snap: snap, commits: commits, born: born}
	b.refs.Store(1)
	return b
}

// acquire takes a reference; false where all references were given back.
func (b *projectState) acquire() bool {
	for {
		n := b.refs.Load()
		if n == 0 {
			return false
		}
		if b.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Close gives a reference back.
func (b *projectState) Close() error {
	if b.refs.Add(-1) == 0 {
		return b.snap.Close()
	}
	return nil
}

// acquire returns the current state with a reference for the caller; nil where the project is not in memory.
func (l *log) acquire() *projectState {
	for {
		b := l.current.Load()
		if b == nil || b.acquire() {
			return b
		}
	}
}

// stateOf returns what is served of a project, bringing it into memory where it was not read lately; nil where the
// store does not hold the log.
func (s *Store) stateOf(l *log) (*projectState, error) {
	if tick := s.tick.Load(); l.used.Load() != tick {
		l.used.Store(tick)
	}
	if b := l.acquire(); b != nil {
		return b, nil
	}
	b, err := s.loadProject(l)
	if b != nil {
		s.evict()
	}
	return b, err
}

// loadProject brings a project into memory; other readers, and changes that are to be shown, wait for it.
func (s *Store) loadProject(l *log) (*projectState, error) {
	l.viewing.Lock()
	defer l.viewing.Unlock()
	if b := l.acquire(); b != nil {
		return b, nil
	}
	snap := s.db.NewSnapshot()
	m, err := s.loadMeta(snap, l, nil)
	if err != nil || m == nil {
		return nil, errors.Join(err, snap.Close())
	}
	b := newProjectState(m, snap, l.commits.Load(), s.tick.Load())
	b.refs.Add(1)
	s.resident.Add(m.weight)
	l.current.Store(b)
	return b, nil
}

// showCommit shows readers a commit that was just made, while the log's writing lock is held. next makes the successor
// of what is in memory, nil for none; where the project is not in memory there is nothing to do.
func (s *Store) showCommit(l *log, next func(former *meta, snap *pebble.Snapshot) (*meta, error)) {
	l.viewing.Lock()
	defer l.viewing.Unlock()
	commits := l.commits.Add(1)
	former := l.current.Load()
	if former == nil {
		return
	}
	snap := s.db.NewSnapshot()
	m, err := next(former.meta, snap)
	if err != nil || m == nil {
		if err = errors.Join(err, snap.Close()); err != nil {
			s.cfg.Logger.Error("cannot read what was just written", "log", l.id, "error", err)
		}
		l.current.Store(nil) // the next reader tries again, and is told why
		s.resident.Add(-former.meta.weight)
	} else {
		l.current.Store(newProjectState(m, snap, commits, s.tick.Load()))
		s.resident.Add(m.weight - former.meta.weight)
	}
	s.closeState(l, former)
}

// unload takes a project out of memory.
func (s *Store) unload(l *log) {
	l.viewing.Lock()
	b := l.current.Swap(nil)
	l.viewing.Unlock()
	if b != nil {
		s.resident.Add(-b.meta.weight)
		s.closeState(l, b)
	}
}

// renew replaces a state by one of the same content with a younger snapshot, so that Pebble can drop what was
// written over and deleted since. A change under way renews it anyway.
func (s *Store) renew(l *log) {
	if !l.writing.TryLock() {
		return
	}
	defer l.writing.Unlock()
	l.viewing.Lock()
	defer l.viewing.Unlock()
	if b := l.current.Load(); b != nil {
		l.current.Store(newProjectState(b.meta, s.db.NewSnapshot(), b.commits, s.tick.Load()))
		s.closeState(l, b)
	}
}

func (s *Store) closeState(l *log, b *projectState) {
	if err := b.Close(); err != nil {
		s.cfg.Logger.Error("cannot close a snapshot", "log", l.id, "error", err)
	}
}
