package store

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/write"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// Apply applies the change that follows a log's position. It implements follow.Applier. The batch is written to the
// log of the database without waiting for the disk: after a crash the newest changes may be missing, with their
// positions, and replication brings them again.
func (s *Store) Apply(ctx context.Context, c *record.Change) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkLog(c.Log); err != nil {
		return err
	}
	l := s.log(c.Log)
	s.catchUpTexts(l)
	l.writing.Lock()
	defer l.writing.Unlock()
	return s.apply(l, c)
}

func checkLog(id string) error {
	if l := (&log{id: id}); !l.isProject() && !l.isOrganization() {
		return fmt.Errorf("log %q is neither a project's nor an organization's", id)
	}
	return nil
}

func (s *Store) apply(l *log, c *record.Change) error {
	state, held, err := s.logStateOf(l)
	if err != nil {
		return err
	}
	if held && !c.Follows(state.Pos) || !held && (c.Position.Seq != 1 || c.Prev != record.Hash{}) {
		return fmt.Errorf("it does not follow the store's position, which is %s", state.Pos)
	}
	if !held {
		state.Gen = layout.Generation(s.generations.Add(1))
	}
	public, err := s.publicBefore(state, c)
	if err != nil {
		return err
	}
	size := changeSize(c)
	if err := s.disk.admit(size); err != nil {
		return err
	}
	if err := s.write(l, state, c, size); err != nil {
		return err
	}
	s.countTexts(l, state)
	s.show(l, state, c)
	told := commitOf(l.id, state)
	told.Change, told.WasPublic = c, public
	s.cfg.OnCommit(told)
	return nil
}

// logStateOf returns the state of a log, reading it where it is not at hand; an empty one and false where the store does
// not hold the log.
func (s *Store) logStateOf(l *log) (*write.State, bool, error) {
	if l.state != nil {
		return l.state, true, nil
	}
	state, held, err := write.ReadState(s.db, l.id)
	if err == nil && !held {
		state = write.NewState(0)
	}
	return state, held, err
}

// changeSize is about what a change writes, in bytes.
func changeSize(c *record.Change) int {
	const row = 512
	size := 2 * row
	switch body := c.Body.(type) {
	case *recordpb.Release:
		for _, item := range body.Items {
			size += 8*row + 2*len(item.Fields) // the document, and indexes
		}
	case *recordpb.Schema:
		for _, collection := range body.Collections {
			size += row + len(collection.Canonical)
		}
	case *recordpb.Rank:
		size += row * len(body.Entries)
	}
	return size
}

// write commits the rows of a change.
func (s *Store) write(l *log, state *write.State, c *record.Change, size int) error {
	if _, ok := c.Body.(*recordpb.Project); ok {
		defer s.lockSlugs()()
	}
	return s.writeRows(l, state, size, func(w *write.Writer, batch *pebble.Batch) error {
		if err := w.Change(c, batch); err != nil {
			return err
		}
		state.Pos = c.Position
		return batch.Set(layout.Global.Text(nil, layout.TableLog, l.id), state.LogRow.Append(nil), nil)
	})
}

// writeRows commits what do writes, about size bytes. Until all is well the log has no state: that may get ahead of what is stored.
func (s *Store) writeRows(l *log, state *write.State, size int, do func(*write.Writer, *pebble.Batch) error) error {
	l.state = nil
	err := s.commitRows(l.id, state, size, do)
	if err == nil {
		l.state = state
	}
	return err
}

func (s *Store) commitRows(log string, state *write.State, size int, do func(*write.Writer, *pebble.Batch) error) (err error) {
	batch := s.db.NewBatchWithSize(size)
	defer func() { err = layout.JoinClose(err, batch) }()
	it, err := state.Gen.Iterate(s.db)
	if err != nil {
		return err
	}
	defer func() { err = layout.JoinClose(err, it) }()
	if err := do(write.New(s.db, s.tune.rows, log, state, layout.Batch{Batch: batch}, it), batch); err != nil {
		return err
	}
	return s.commit(batch)
}

// show lets readers see a change.
func (s *Store) show(l *log, state *write.State, c *record.Change) {
	s.showCommit(l, func(former *meta, snap *pebble.Snapshot) (*meta, error) {
		switch body := c.Body.(type) {
		case *recordpb.Release:
			if len(former.places) == len(state.Collections) && former.gen == state.Gen {
				return former.withRelease(state.Head, body.Items, s.versions.Add(1)), nil
			}
		case *recordpb.Rank:
			if of := former.places[body.Collection]; of != nil && former.gen == state.Gen && len(former.places) == len(state.Collections) {
				of.listed.Ranked.Store(true)
				return former.withVersion(s.versions.Add(1)), nil
			}
		}
		return s.loadMeta(snap, l, former)
	})
}
