package follow

import (
	"context"
	"errors"

	"svc/replication/record"
	"svc/replication/snapshot"
)

// Core is what a follower asks core for. CoreClient asks over HTTP.
type Core interface {
	// Heads returns the newest position of every log.
	Heads(ctx context.Context) ([]record.Head, error)
	// Changes gives take the envelopes behind a position of a log, in order, as many as one answer has, and returns
	// the log's newest position. ErrUnserved where core cannot go on from there, NOT_FOUND where there is no such log;
	// an error of take ends it. Newest is the newest release that the asker holds, for a core that lost it.
	Changes(ctx context.Context, log string, after record.Position, newest record.Stamp, take func(envelope []byte) error) (head record.Position, err error)
	// Snapshot returns a snapshot of a log beyond a position; core writes one where there is none. CONFLICT where the
	// log is not beyond the position either, UNAVAILABLE where it is not ready yet.
	Snapshot(ctx context.Context, log string, beyond record.Position) (snapshot.Ref, error)
}

// ErrUnserved says that core was never at a position, or no longer has the changes behind it: only a snapshot helps.
var ErrUnserved = errors.New("core cannot continue the log from this position")
