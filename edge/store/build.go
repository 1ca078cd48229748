package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/write"
)

// A definition that came with a deployment is built here, once its project is read: what was published before is indexed in small
// batches, each of which says how far it came and is made while no release of the project is. So releases go on, and so does the
// work after a crash. A last batch marks the definition built, and views of that moment and later use it.

const buildRows = 512 // documents that a batch indexes at most

// build builds what the projects in memory lack.
func (s *Store) build() {
	for id := range s.textsDue.Range {
		if err := s.indexAllTexts(id.(string)); err != nil {
			s.logTexts(id.(string), err)
		}
	}
	for id := range s.unbuilt.Range {
		for more := true; more; {
			var err error
			if more, err = s.buildStep(id.(string)); err != nil {
				s.cfg.Logger.Error("an index of a field cannot be built; lists that need it take longer until it is", "log", id, "error", err)
				break
			}
		}
	}
}

// buildStep indexes one batch of a log, and reports whether there is more to do.
func (s *Store) buildStep(id string) (more bool, err error) {
	if err := s.enter(); err != nil {
		return false, nil // the store is being closed
	}
	defer s.exit()
	l := s.log(id)
	l.writing.Lock()
	defer l.writing.Unlock()
	state, held, err := s.logStateOf(l)
	if err != nil {
		return false, err
	}
	if !held {
		s.unbuilt.Delete(id)
		return false, nil
	}
	if err := s.disk.admit(4 * write.BuildBytes); err != nil {
		return false, err
	}
	var built bool
	err = s.writeRows(l, state, 0, func(w *write.Writer, _ *pebble.Batch) error {
		built, more, err = w.BuildNext(s.tune.buildRows)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("build an index: %w", err)
	}
	if !more {
		s.unbuilt.Delete(id)
	}
	if built {
		s.showCommit(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) { return s.loadMeta(snap, l, former) })
	}
	return more, nil
}
