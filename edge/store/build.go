package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
)

// A definition that came with a deployment is built here: what was published before is filed in small batches, each of which
// says how far it came and is made while no release of the project is. So releases go on, and so does the work after a
// crash. A last batch marks the definition built, and views of that moment and later use it.

const (
	buildRows  = 512     // documents that a batch files at most
	buildBytes = 2 << 20 // of their fields, about
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
	led, held, err := s.logStateOf(l)
	if err != nil {
		return false, err
	}
	if !held {
		s.builds.done(id)
		return false, s.db.Delete(layout.Global.Text(nil, layout.TableUnbuilt, id), pebble.NoSync)
	}
	if err := s.disk.admit(4 * buildBytes); err != nil {
		return false, err
	}
	l.state = nil // until all is well
	built, more, err := s.writeBuild(ctx, l, led)
	if err != nil {
		return false, fmt.Errorf("build an index: %w", err)
	}
	l.state = led
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
func (s *Store) writeBuild(ctx context.Context, l *log, led *logState) (built, more bool, err error) {
	batch := s.db.NewBatch()
	defer func() { err = layout.JoinClose(err, batch) }()
	it, err := led.Gen.Iterate(s.db)
	if err != nil {
		return false, false, err
	}
	defer func() { err = layout.JoinClose(err, it) }()
	w := &writer{s: s, log: l.id, led: led, out: layout.Batch{Batch: batch}, it: it}
	for _, a := range led.byName {
		if err := a.open(it, led.Gen, false); err != nil {
			return false, false, err
		}
		if more {
			continue
		}
		group := a.defs.Unbuilt()
		if group == nil {
			continue
		}
		if built, err = w.build(ctx, a, group); err != nil {
			return false, false, fmt.Errorf("collection %s: %w", a.Name, err)
		}
		more = true
	}
	if led.unbuilt = more; !more {
		if err := batch.Delete(layout.Global.Text(nil, layout.TableUnbuilt, l.id), nil); err != nil {
			return false, false, err
		}
	}
	return built, more, s.commit(batch)
}

// build files the next documents for some definitions.
func (w *writer) build(ctx context.Context, a *account, group []*index.Definition) (built bool, err error) {
	defs := map[string][]*index.Definition{}
	for _, d := range group {
		defs[d.Field] = append(defs[d.Field], d)
	}
	x := index.NewWriter(w.indexTarget(a), defs)
	pass, err := x.Pass(w.s.db)
	if err != nil {
		return false, err
	}
	rows := 0
	last, done, err := pass.Run(ctx, group[0].Done, func() (bool, error) {
		rows++
		return rows >= w.s.tune.buildRows || pass.Bytes >= buildBytes, nil
	})
	if err = errors.Join(err, pass.Close()); err != nil {
		return false, err
	}
	for _, d := range group {
		if d.Done, d.Built = last, done; done {
			d.Done = nil
		}
		if err := w.putDefinition(a, d); err != nil {
			return false, err
		}
	}
	return done, x.Flush()
}

// noteBuild writes that a log has something to build, where a change brought that.
func (w *writer) noteBuild(batch *pebble.Batch, kind record.Kind) error {
	if kind != record.KindSchema || !w.led.unbuilt {
		return nil
	}
	return batch.Set(layout.Global.Text(nil, layout.TableUnbuilt, w.log), nil, nil)
}
