package load

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
	"svc/edge/store/write"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// Database is what loads write to.
type Database struct {
	DB      *pebble.DB
	FS      vfs.FS
	Dir     string // where tables are prepared, on the disk of the database
	Tables  sstable.WriterOptions
	Admit   func(bytes int) error // fails where the disk has no room
	Commit  func(*pebble.Batch) error
	Options write.Options

	RunBytes int // of a load, before it is written
	SmallRun int // up to this a run is written as a batch: see run

	files atomic.Uint64 // names tables
}

// Load is one log on its way into a generation. Memory: one run, and the live set of each collection.
type Load struct {
	to  *Database
	log string
	w   *write.Writer
	run *run
}

// Begin starts to load a log into an empty generation.
func (d *Database) Begin(g layout.Generation, log string) (*Load, error) {
	it, err := g.Iterate(d.DB)
	if err != nil {
		return nil, err
	}
	run := newRun(d)
	w := write.New(d.DB, d.Options, log, write.NewState(g), run, it)
	w.Load()
	return &Load{to: d, log: log, w: w, run: run}, nil
}

// State is that of the log in its new generation.
func (l *Load) State() *write.State { return l.w.State }

// ShowKeys makes the keys of an organization findable.
func (l *Load) ShowKeys(batch *pebble.Batch) error { return l.w.ShowKeys(batch) }

// Close ends the load. What it wrote stays.
func (l *Load) Close() error { return l.w.Close() }

// Add takes one body, in the order of a log.
func (l *Load) Add(ctx context.Context, kind record.Kind, body any) error {
	// Ranks are looked up in what is written, and so are keys that a body may repeat.
	if _, ok := body.(*recordpb.Rank); ok && l.run.holds(layout.TableRank) {
		if err := l.flush(ctx); err != nil {
			return err
		}
	}
	if err := l.w.Add(kind, body); err != nil {
		return fmt.Errorf("load a %s of log %s: %w", kind, l.log, err)
	}
	return l.flushMuch(ctx)
}

// flushMuch flushes a run that has become large.
func (l *Load) flushMuch(ctx context.Context) error {
	if l.run.size < l.to.RunBytes {
		return ctx.Err()
	}
	return l.flush(ctx)
}

// flush writes the run and reads on from what is stored.
func (l *Load) flush(ctx context.Context) error {
	if err := l.run.flush(ctx); err != nil {
		return err
	}
	return l.w.Flushed()
}

// Finish makes what is made from all rows of the log: indexes, the default order and the state sum.
func (l *Load) Finish(ctx context.Context) error {
	if err := l.flush(ctx); err != nil {
		return err
	}
	state := l.w.State
	if content.IsID[content.ProjectID](l.log) {
		if state.Settings == nil {
			return errors.New("it brought no settings")
		}
		if err := l.indexAll(ctx); err != nil {
			return fmt.Errorf("index what was loaded: %w", err)
		}
	} else if state.Organization == nil {
		return errors.New("it brought no organization")
	}
	var err error
	if state.Sum, err = Sum(ctx, l.to.DB, state.Gen, l.log); err != nil {
		return err
	}
	return l.flush(ctx)
}
