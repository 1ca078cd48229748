// Package follow is the edge's side of replication: it keeps a store level with the logs of core, whatever the
// stream between them lost, repeated or forgot.
package follow

import (
	"context"

	"svc/replication/record"
)

// Applier is a store that follows logs. The edge's implementation is on Pebble.
type Applier interface {
	// Positions returns where the store stands in every log it holds.
	Positions(ctx context.Context) (map[string]record.Position, error)
	// Apply applies one change that follows the log's position, and moves the position in the same batch; readers
	// see all of it or nothing. A log the store does not hold yet starts at sequence 1.
	Apply(ctx context.Context, c *record.Change) error
	// Load starts to build a log again beside what is being served.
	Load(ctx context.Context, log string) (Loader, error)
	// Drop forgets a log and everything it brought.
	Drop(ctx context.Context, log string) error
	// StateHash returns the incrementally kept sum of the log's row hashes (package record, StateSum), and false
	// where the store does not hold the log.
	StateHash(ctx context.Context, log string) (record.StateSum, bool, error)
	// Content returns what a project's log has come to; a zero Content where the store holds none of it, and of an
	// organization's log.
	Content(ctx context.Context, log string) (Content, error)
	// Rescan recomputes the same from what is stored, for comparison.
	Rescan(ctx context.Context, log string) (record.StateSum, error)
}

// Content is what operators, and core after a loss, ask of a project's log: its newest release, and the release that the
// whole fleet is pinned to, 0 for none.
type Content struct {
	Newest record.Stamp
	Pinned uint64
}

// Loader takes the content of a snapshot in the order it is stored. Commit makes it the served state in one step
// and lets the former state go when its last reader is gone; Abort drops what was loaded. Exactly one of the two
// is called.
type Loader interface {
	Add(ctx context.Context, kind record.Kind, body any) error
	Commit(ctx context.Context, at record.Position) error
	Abort() error
}
