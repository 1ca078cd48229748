package store

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/write"
)

// A definition that came with a deployment is built here: what was published before is indexed in small batches, each of which
// says how far it came and is made while no release of the project is. So releases go on, and so does the work after a
// crash. A last batch marks the definition built, and views of that moment and later use it.

const (
	buildRows  = 512 // documents that a batch files at most
	buildPause = time.Second
)

// buildAll builds what is wanted until the store is closed.
func (s *Store) buildAll() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-s.stop
		cancel()
	}()
	defer func() { <-stopped }()
	retry := time.NewTicker(buildPause)
	defer retry.Stop()
	told := map[string]string{} // what was wrong with a log, to say it once
	for {
		for _, log := range s.builds.wanted() {
			for more := true; more && ctx.Err() == nil; {
				var err error
				if more, err = s.buildStep(ctx, log); err == nil || ctx.Err() != nil {
					delete(told, log)
					continue
				}
				if told[log] != err.Error() {
					told[log] = err.Error()
					s.cfg.Logger.Error("an index of a field cannot be built; lists that need it take longer until it is", "log", log, "error", err)
				}
				break
			}
		}
		select {
		case <-s.builds.wake:
			continue
		default:
		}
		select {
		case <-s.builds.wake:
		case <-retry.C:
		case <-ctx.Done():
			return
		}
	}
}

// buildStep files one batch of a log, and reports whether there is more to do.
func (s *Store) buildStep(ctx context.Context, id string) (more bool, err error) {
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
		s.builds.done(id)
		return false, s.db.Delete(layout.Global.Text(nil, layout.TableUnbuilt, id), pebble.NoSync)
	}
	if err := s.disk.admit(4 * write.BuildBytes); err != nil {
		return false, err
	}
	l.state = nil // until all is well
	built, more, err := s.writeBuild(ctx, l, state)
	if err != nil {
		return false, fmt.Errorf("build an index: %w", err)
	}
	l.state = state
	if built {
		s.publish(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) { return loadMeta(snap, l, former) })
	}
	if !more {
		s.builds.done(id)
		s.tune.built(id)
	}
	return more, nil
}

// writeBuild makes a batch of the first collection that has something to build.
func (s *Store) writeBuild(ctx context.Context, l *log, state *write.State) (built, more bool, err error) {
	batch := s.db.NewBatch()
	defer func() { err = layout.JoinClose(err, batch) }()
	it, err := state.Gen.Iterate(s.db)
	if err != nil {
		return false, false, err
	}
	defer func() { err = layout.JoinClose(err, it) }()
	w := write.New(s.db, s.tune.rows, l.id, state, layout.Batch{Batch: batch}, it)
	if built, more, err = w.BuildNext(ctx, s.tune.buildRows); err != nil {
		return false, false, err
	}
	if !more {
		if err := batch.Delete(layout.Global.Text(nil, layout.TableUnbuilt, l.id), nil); err != nil {
			return false, false, err
		}
	}
	return built, more, s.commit(batch)
}
