package store

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/write"
)

// Drop forgets a log and everything it brought. Views that are open go on reading it.
func (s *Store) Drop(ctx context.Context, id string) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	if err := checkLog(id); err != nil {
		return err
	}
	l := s.log(id)
	l.writing.Lock()
	defer l.writing.Unlock()
	state, held, err := write.ReadState(s.db, l.id)
	if err == nil && held {
		err = s.drop(l, state)
	}
	if err != nil {
		return fmt.Errorf("drop log %s: %w", id, err)
	}
	return nil
}

func (s *Store) drop(l *log, state *write.State) error {
	batch := s.db.NewBatch()
	err := func() error {
		defer s.lockSlugs()()
		it, err := state.Gen.Iterate(s.db)
		if err != nil {
			return err
		}
		if err := layout.JoinClose(write.HideKeys(batch, it, state.Gen), it); err != nil {
			return err
		}
		if err := write.NameProject(s.db, batch, l.id, state.Settings, nil); err != nil {
			return err
		}
		if err := batch.Delete(layout.Global.Text(nil, layout.TableLog, l.id), nil); err != nil {
			return err
		}
		if err := state.Gen.Drop(batch); err != nil {
			return err
		}
		return s.commit(batch)
	}()
	if err := layout.JoinClose(err, batch); err != nil {
		return err
	}
	l.state = nil
	s.showCommit(l, func(*meta, *pebble.Snapshot) (*meta, error) { return nil, nil })
	s.cfg.OnCommit(Commit{Log: l.id})
	return nil
}
