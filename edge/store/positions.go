package store

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/load"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// Positions returns where the store stands in every log it holds.
func (s *Store) Positions(ctx context.Context) (map[string]record.Position, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.exit()
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: layout.Global.Start(nil, layout.TableLog), UpperBound: layout.Global.End(nil, layout.TableLog)})
	if err != nil {
		return nil, err
	}
	positions := map[string]record.Position{}
	err = func() error {
		for ok := it.First(); ok; ok = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			row, err := layout.ReadLogRow(value)
			if err != nil {
				return err
			}
			positions[string(it.Key()[layout.PrefixLen:])] = row.Pos
		}
		return it.Error()
	}()
	return positions, layout.JoinClose(err, it)
}

// Position returns where the store stands in a log, and false where it does not hold it.
func (s *Store) Position(id string) (record.Position, bool, error) {
	if err := s.enter(); err != nil {
		return record.Position{}, false, err
	}
	defer s.exit()
	row, held, err := s.logRow(id)
	return row.Pos, held, err
}

// Content returns the newest release of a project's log and the release that the project is pinned to.
func (s *Store) Content(ctx context.Context, id string) (c follow.Content, err error) {
	if err := s.enter(); err != nil {
		return c, err
	}
	defer s.exit()
	row, held, err := s.logRow(id)
	if err != nil || !held || !s.log(id).isProject() {
		return c, err
	}
	it, err := row.Gen.Iterate(s.db)
	if err != nil {
		return c, err
	}
	head, err := layout.LastRelease(it, row.Gen)
	if err == nil {
		c.Newest = record.Stamp{Number: head.Number, Time: head.PublishedAt}
		var settings *recordpb.Project
		if settings, err = layout.LastSettings(it, row.Gen); settings != nil {
			c.Pinned = settings.PinnedRelease
		}
	}
	return c, layout.JoinClose(err, it)
}

// StateHash returns the state sum of a log as it was kept change by change.
func (s *Store) StateHash(ctx context.Context, id string) (record.StateSum, bool, error) {
	if err := s.enter(); err != nil {
		return record.StateSum{}, false, err
	}
	defer s.exit()
	row, held, err := s.logRow(id)
	return row.Sum, held, err
}

// Rescan adds up the state of a log from what is stored, as of one moment.
func (s *Store) Rescan(ctx context.Context, id string) (record.StateSum, error) {
	if err := s.enter(); err != nil {
		return record.StateSum{}, err
	}
	defer s.exit()
	snap := s.db.NewSnapshot()
	sum, err := rescan(ctx, snap, id)
	return sum, layout.JoinClose(err, snap)
}

func rescan(ctx context.Context, snap *pebble.Snapshot, id string) (sum record.StateSum, err error) {
	value, err := layout.Get(snap, layout.Global.Text(nil, layout.TableLog, id))
	if err != nil || value == nil {
		return sum, err
	}
	row, err := layout.ReadLogRow(value)
	if err != nil {
		return sum, err
	}
	return load.Sum(ctx, snap, row.Gen, id)
}
