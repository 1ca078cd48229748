package rewind

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/changelog"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/shared/fault"
)

// ChangesAfter answers an edge that stands at a position and asks for what follows: as After does, or with a proof other than
// Proved, which means that the edge needs a snapshot. An edge that holds what the log never had is evidence that the
// database went back; where the log does not count behind that yet, it is raised there. Edges that are level with the
// log lose nothing by that. Newest is the newest release that the edge holds, zero before the first; where it does not tell, nil,
// every change that it holds may have been one.
func ChangesAfter(ctx context.Context, pool *pgxpool.Pool, log string, at record.Position, newest *record.Stamp) (publish.Tail, Raised, error) {
	var none Raised
	if at.Epoch > maxEpoch || at.Seq > changelog.MaxSeq {
		return publish.Tail{}, none, fault.Invalid("after", "epoch %d and sequence %d are out of range", at.Epoch, at.Seq)
	}
	if newest != nil && newest.Number > maxRelease {
		return publish.Tail{}, none, fault.Invalid("newest", "release %d is out of range", newest.Number)
	}
	t, err := changelog.After(ctx, pool, log, at)
	if err != nil {
		return t, none, err
	}
	lost, any := (&Claim{Log: log, At: at, Newest: newest}).lost(&t)
	if !any {
		return t, none, nil
	}
	raised, err := raiseEpoch(ctx, pool, log, lost, false)
	if err != nil {
		return publish.Tail{}, none, err
	}
	t, err = changelog.After(ctx, pool, log, at)
	return t, raised, err
}
