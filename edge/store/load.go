package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/load"
	"svc/edge/store/write"
	"svc/replication/follow"
	"svc/replication/record"
)

// Load starts to build a whole log in a generation of its own. It implements follow.Applier.
func (s *Store) Load(ctx context.Context, id string) (follow.Loader, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	ld, err := s.newLoader(id)
	if err != nil {
		s.exit()
		return nil, fmt.Errorf("load log %s: %w", id, err)
	}
	return ld, nil
}

func (s *Store) newLoader(id string) (*loader, error) {
	if err := checkLog(id); err != nil {
		return nil, err
	}
	load, err := s.loads.Begin(layout.Generation(s.generations.Add(1)), id)
	return &loader{s: s, l: s.log(id), load: load}, err
}

// loader implements follow.Loader.
type loader struct {
	s    *Store
	l    *log
	load *load.Load
	done bool
}

var errLoadEnded = errors.New("this load has ended")

// Add takes one body, in the order of a log.
func (ld *loader) Add(ctx context.Context, kind record.Kind, body any) error {
	if ld.done {
		return errLoadEnded
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return ld.load.Add(ctx, kind, body)
}

// Commit makes what was loaded the state of the log. Where it fails, everything is as before the load.
func (ld *loader) Commit(ctx context.Context, at record.Position) error {
	if ld.done {
		return errLoadEnded
	}
	err := ld.load.Finish(ctx)
	if err == nil {
		ld.load.State().Pos = at
		err = ld.replace()
	}
	if err != nil {
		return fmt.Errorf("load log %s: %w", ld.l.id, errors.Join(err, ld.Abort()))
	}
	ld.done = true
	err = ld.load.Close()
	ld.s.exit()
	return err
}

// replace flips the log to the new generation, and deletes the former one, in one batch.
func (ld *loader) replace() error {
	s, l, state := ld.s, ld.l, ld.load.State()
	l.writing.Lock()
	defer l.writing.Unlock()
	former, held, err := write.ReadState(s.db, l.id)
	if err != nil {
		return err
	}
	if !held {
		former = write.NewState(0)
	}
	batch := s.db.NewBatch()
	if err := layout.JoinClose(ld.flip(batch, former, held), batch); err != nil {
		return err
	}
	l.state = nil
	s.showCommit(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) { return s.loadMeta(snap, l, former) })
	s.cfg.OnCommit(commitOf(l.id, state))
	return nil
}

func (ld *loader) flip(batch *pebble.Batch, former *write.State, held bool) error {
	s, l, state := ld.s, ld.l, ld.load.State()
	if l.isProject() {
		defer s.lockSlugs()()
		if err := write.NameProject(s.db, batch, l.id, former.Settings, state.Settings); err != nil {
			return err
		}
	} else if err := ld.flipKeys(batch, former, held); err != nil {
		return err
	}
	if held {
		if err := former.Gen.Drop(batch); err != nil {
			return err
		}
	}
	if err := batch.Set(layout.Global.Text(nil, layout.TableLog, l.id), state.LogRow.Append(nil), nil); err != nil {
		return err
	}
	return ld.s.commit(batch)
}

func (ld *loader) flipKeys(batch *pebble.Batch, former *write.State, held bool) error {
	if held {
		it, err := former.Gen.Iterate(ld.s.db)
		if err != nil {
			return err
		}
		if err := layout.JoinClose(write.HideKeys(batch, it, former.Gen), it); err != nil {
			return err
		}
	}
	if ld.load.State().Organization.Deleted {
		return nil
	}
	return ld.load.ShowKeys(batch)
}

// Abort drops what was loaded. A second call, or one after Commit, does nothing.
func (ld *loader) Abort() error {
	if ld.done {
		return nil
	}
	ld.done = true
	defer ld.s.exit()
	batch := ld.s.db.NewBatch()
	err := ld.load.State().Gen.Drop(batch)
	if err == nil {
		err = ld.s.commit(batch)
	}
	return errors.Join(layout.JoinClose(err, batch), ld.load.Close())
}
