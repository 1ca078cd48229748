package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// Load starts to build a log anew, in a generation of its own. It implements follow.Applier. Memory: one run, and the
// live set of each collection.
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
	gen := layout.Generation(s.generations.Add(1))
	it, err := gen.Iterate(s.db)
	if err != nil {
		return nil, err
	}
	run := newRun(s)
	return &loader{s: s, l: s.log(id), run: run, w: &writer{
		s: s, log: id, led: newLogState(gen), out: run, it: it,
		loading: true, fresh: map[freshKey]layout.EntryState{}, seen: map[uint32]*[2]layout.EntryID{},
	}}, nil
}

// loader implements follow.Loader.
type loader struct {
	s    *Store
	l    *log
	w    *writer
	run  *run
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
	// Ranks are looked up in what is written, and so are keys that a body may repeat.
	if _, ok := body.(*recordpb.Rank); ok && ld.run.holds(layout.TableRank) {
		if err := ld.flush(ctx); err != nil {
			return err
		}
	}
	if err := ld.w.body(kind, body); err != nil {
		return fmt.Errorf("load a %s of log %s: %w", kind, ld.l.id, err)
	}
	if ld.run.size >= ld.s.tune.runBytes {
		return ld.flush(ctx)
	}
	return nil
}

// flush writes the run and reads on from what is stored.
func (ld *loader) flush(ctx context.Context) error {
	if err := ld.run.flush(ctx); err != nil {
		return err
	}
	clear(ld.w.fresh)
	it, err := ld.w.led.Gen.Iterate(ld.s.db)
	if err != nil {
		return err
	}
	former := ld.w.it
	ld.w.it = it
	return former.Close()
}

// put adds a row to those that are written without being read before the next flush.
func (ld *loader) put(ctx context.Context, key, value []byte) error {
	if err := ld.run.Put(key, value, nil); err != nil || ld.run.size < ld.s.tune.runBytes {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return ld.run.flush(ctx)
}

// Commit makes what was loaded the state of the log. Where it fails, everything is as before the load.
func (ld *loader) Commit(ctx context.Context, at record.Position) error {
	if ld.done {
		return errLoadEnded
	}
	err := ld.finish(ctx)
	if err == nil {
		ld.w.led.Pos = at
		err = ld.replace()
	}
	if err != nil {
		return fmt.Errorf("load log %s: %w", ld.l.id, errors.Join(err, ld.Abort()))
	}
	ld.done = true
	err = ld.w.it.Close()
	ld.s.exit()
	return err
}

// finish makes the head index and the state sum of what was loaded.
func (ld *loader) finish(ctx context.Context) error {
	if err := ld.flush(ctx); err != nil {
		return err
	}
	led := ld.w.led
	var err error
	if !ld.l.isProject() {
		if led.organization == nil {
			return errors.New("it brought no organization")
		}
		led.Sum, err = sumOrganization(ld.s.db, led.Gen)
		return err
	}
	if led.settings == nil {
		return errors.New("it brought no settings")
	}
	if err := ld.fileAll(ctx); err != nil {
		return err
	}
	if err := ld.flush(ctx); err != nil {
		return err
	}
	if err := ld.indexAll(ctx); err != nil {
		return fmt.Errorf("index what was loaded: %w", err)
	}
	if led.Sum, err = (&verifier{src: ld.s.db, gen: led.Gen}).run(ctx); err != nil {
		return err
	}
	return ld.flush(ctx)
}

// replace flips the log to the new generation, and deletes the former one, in one batch.
func (ld *loader) replace() error {
	s, l, led := ld.s, ld.l, ld.w.led
	l.writing.Lock()
	defer l.writing.Unlock()
	former, held, err := s.loadLogState(l)
	if err != nil {
		return err
	}
	if !held {
		former = newLogState(0)
	}
	s.slugging.Lock()
	defer s.slugging.Unlock()
	batch := s.db.NewBatch()
	if err := layout.JoinClose(ld.flip(batch, former, held), batch); err != nil {
		return err
	}
	l.state = nil
	s.publish(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) { return loadMeta(snap, l, former) })
	s.cfg.OnCommit(l.id, led.head.Number)
	return nil
}

func (ld *loader) flip(batch *pebble.Batch, former *logState, held bool) error {
	s, l, led := ld.s, ld.l, ld.w.led
	if l.isProject() {
		if err := s.nameProject(batch, l.id, former.settings, led.settings); err != nil {
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
	if err := batch.Delete(layout.Global.Text(nil, layout.TableUnbuilt, l.id), nil); err != nil { // loads build everything
		return err
	}
	if err := batch.Set(layout.Global.Text(nil, layout.TableLog, l.id), led.LogRow.Append(nil), nil); err != nil {
		return err
	}
	return ld.s.commit(batch)
}

func (ld *loader) flipKeys(batch *pebble.Batch, former *logState, held bool) error {
	if held {
		it, err := former.Gen.Iterate(ld.s.db)
		if err != nil {
			return err
		}
		if err := layout.JoinClose(hideKeys(batch, it, former.Gen), it); err != nil {
			return err
		}
	}
	if ld.w.led.organization.Deleted {
		return nil
	}
	return showKeys(batch, ld.w.it, ld.w.led.Gen, ld.l.id)
}

// Abort drops what was loaded. A second call, or one after Commit, does nothing.
func (ld *loader) Abort() error {
	if ld.done {
		return nil
	}
	ld.done = true
	defer ld.s.exit()
	batch := ld.s.db.NewBatch()
	err := ld.w.led.Gen.Drop(batch)
	if err == nil {
		err = ld.s.commit(batch)
	}
	return layout.JoinClose(layout.JoinClose(err, batch), ld.w.it)
}
