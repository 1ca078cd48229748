package snapshot

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// Source is where core keeps the logs, and what it has written of them before.
type Source interface {
	// View shows do one log as of one moment. A log that does not exist is NOT_FOUND.
	View(ctx context.Context, log string, do func(View) error) error
	// AddSegment records a segment. It fails where another writer has recorded another one for its first release.
	AddSegment(ctx context.Context, log string, segment *recordpb.Part) error
	// Forget removes the records of all snapshots and segments of a log: the next snapshot is written from nothing.
	Forget(ctx context.Context, log string) error
	// Recorded returns the snapshots of a log, newest first, n at most.
	Recorded(ctx context.Context, log string, n int) ([]Ref, error)
	// Advance records a snapshot where it is newer than all others of its log, and calls publish before that takes
	// effect. No two run at once for a log. It reports whether the snapshot was newer.
	Advance(ctx context.Context, ref Ref, publish func(context.Context) error) (bool, error)
}

// View is one log as of one moment.
type View interface {
	Position() record.Position
	// Time is that moment, by the database's clock.
	Time() time.Time
	// Segments returns the recorded segments, in order, from release 1 on without a hole.
	Segments() []*recordpb.Part
	// State emits settings and schema deployments, or an organization and its keys, in the order of the package.
	State(ctx context.Context, emit Emit) error
	// Releases emits the releases after a number, ascending; for an organization's log none.
	Releases(ctx context.Context, after uint64, emit func(*recordpb.Release) error) error
	// Ranks emits the editorial ranks in force; for an organization's log none.
	Ranks(ctx context.Context, emit Emit) error
	// StateHash sums the rows of what is in force, read from where core itself reads it, not from the history.
	StateHash(ctx context.Context) (record.StateSum, error)
}

// Emit takes one body of a kind.
type Emit func(kind record.Kind, body proto.Message) error

// Ref names a snapshot.
type Ref struct {
	Log      string
	Position record.Position
	Manifest *recordpb.Part // the object that describes it
}
