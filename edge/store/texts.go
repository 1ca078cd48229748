package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/write"
)

// The words of what releases publish are indexed here, for many documents at once. A pass writes its batches while releases go on: of
// the entries that it indexes no reader believes the index until the pass is over, but looks at their documents (plan.Recent).

const (
	dueTextsOf = 24 // the part of the memory budget that fields of one log take: searches read them once, and keep about three times as much
	textsEver  = 2  // times as much of all logs together
	textsWait  = 2  // times as much of one log, and its next change waits until words are indexed
)

// catchUpTexts indexes words where more was published lately than the builder keeps up with.
func (s *Store) catchUpTexts(l *log) {
	if l.newTexts.Load() < textsWait*s.tune.dueTexts {
		return
	}
	if err := s.indexAllTexts(l.id); err != nil {
		s.logTexts(l.id, err)
	}
}

func (s *Store) logTexts(log string, err error) {
	s.cfg.Logger.Error("the words of what was published cannot be indexed; searches take longer until they are", "log", log, "error", err)
}

// countTexts counts what a change has published, and has the builder index words where that has become much.
func (s *Store) countTexts(l *log, state *write.State) {
	n := state.NewTexts
	state.NewTexts = 0
	if l.newTexts.Add(n) >= s.tune.dueTexts {
		s.textsDue.Store(l.id, nil)
	}
	if s.newTexts.Add(n) < textsEver*s.tune.dueTexts {
		return
	}
	for id, l := range s.logs.Range {
		if l.(*log).newTexts.Load() > 0 {
			s.textsDue.Store(id, nil)
		}
	}
}

// errReplaced ends a pass over a log that was loaded again or dropped meanwhile.
var errReplaced = errors.New("the log was replaced")

// indexAllTexts indexes the words of what a log has published by now.
func (s *Store) indexAllTexts(id string) error {
	if s.enter() != nil {
		return nil // the store is being closed
	}
	defer s.exit()
	l := s.log(id)
	l.indexing.Lock()
	defer l.indexing.Unlock()
	s.indexing.Store(id, nil) // before it is not due any more: Health misses neither
	defer s.indexing.Delete(id)
	s.textsDue.Delete(id)
	s.newTexts.Add(-l.newTexts.Swap(0))
	done := map[string]bool{} // what is published meanwhile is left for the next time
	for !s.closed.Load() {
		pass, err := s.beginTexts(l, done)
		if err != nil || pass == nil {
			return err
		}
		done[pass.Collection] = !pass.Resumed
		err = s.runTexts(l, pass)
		if errors.Is(err, errReplaced) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("collection %s: %w", pass.Collection, err)
		}
	}
	return nil
}

func (s *Store) runTexts(l *log, pass *write.TextPass) error {
	err := pass.Run(s.db, func(batch *pebble.Batch) error {
		return s.commitTexts(l, pass, func(*write.State) error { return s.commit(batch) })
	})
	if err != nil {
		return err
	}
	return s.endTexts(l, pass)
}

// beginTexts begins a pass over one collection; nil where there is none to index but those that are done.
func (s *Store) beginTexts(l *log, done map[string]bool) (pass *write.TextPass, err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	state, held, err := s.logStateOf(l)
	if err != nil || !held {
		return nil, err
	}
	if err := s.disk.admit(int(8 * s.tune.dueTexts)); err != nil {
		return nil, err
	}
	err = s.writeRows(l, state, 0, func(w *write.Writer, _ *pebble.Batch) error {
		pass, err = w.BeginTexts(done)
		return err
	})
	return pass, err
}

func (s *Store) endTexts(l *log, pass *write.TextPass) error {
	return s.commitTexts(l, pass, func(state *write.State) error {
		if err := s.writeRows(l, state, 0, func(w *write.Writer, _ *pebble.Batch) error { return w.EndTexts(pass) }); err != nil {
			return err
		}
		s.showCommit(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) { return s.loadMeta(snap, l, former) })
		return nil
	})
}

// commitTexts does something for a pass while no change is applied, if its log is still the same.
func (s *Store) commitTexts(l *log, pass *write.TextPass, do func(*write.State) error) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	state, held, err := s.logStateOf(l)
	if err != nil {
		return err
	}
	if !held || state.Gen != pass.Gen {
		return errReplaced
	}
	return do(state)
}
