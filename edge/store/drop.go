package store

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
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
	s.slugging.Lock()
	defer s.slugging.Unlock()
	led, held, err := s.loadLogState(l)
	if err == nil && held {
		err = s.drop(l, led)
	}
	if err != nil {
		return fmt.Errorf("drop log %s: %w", id, err)
	}
	return nil
}

func (s *Store) drop(l *log, led *logState) error {
	batch := s.db.NewBatch()
	err := func() error {
		it, err := led.Gen.Iterate(s.db)
		if err != nil {
			return err
		}
		if err := layout.JoinClose(hideKeys(batch, it, led.Gen), it); err != nil {
			return err
		}
		if err := s.nameProject(batch, l.id, led.settings, nil); err != nil {
			return err
		}
		if err := batch.Delete(layout.Global.Text(nil, layout.TableLog, l.id), nil); err != nil {
			return err
		}
		if err := batch.Delete(layout.Global.Text(nil, layout.TableUnbuilt, l.id), nil); err != nil {
			return err
		}
		if err := led.Gen.Drop(batch); err != nil {
			return err
		}
		return s.commit(batch)
	}()
	if err := layout.JoinClose(err, batch); err != nil {
		return err
	}
	l.state = nil
	s.publish(l, func(*meta, *pebble.Snapshot) (*meta, error) { return nil, nil })
	s.cfg.OnCommit(l.id, 0)
	return nil
}
