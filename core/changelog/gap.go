package changelog

import (
	"context"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/shared/fault"
)

// Gap answers an edge that stands at a position and asks for what follows: as After does, or with a proof other than
// Proved, which means that the edge needs a snapshot. An edge that holds what the log never had is evidence that the
// database went back; where the epoch does not say so yet, it is raised. Edges that are level with the log lose nothing
// by that.
func Gap(ctx context.Context, q batcher, log string, at record.Position) (publish.Tail, error) {
	if at.Epoch > maxEpoch || at.Seq > maxSeq {
		return publish.Tail{}, fault.Invalid("after", "epoch %d and sequence %d are out of range", at.Epoch, at.Seq)
	}
	t, err := After(ctx, q, log, at)
	if err != nil {
		return publish.Tail{}, err
	}
	if at.Epoch < t.Head.Epoch || at.Epoch == t.Head.Epoch && t.Proof != publish.Disproved {
		return t, nil
	}
	if err := NewEpoch(ctx, q, log, at.Epoch); err != nil {
		return publish.Tail{}, err
	}
	committed.tell(log) // the relay begins the epoch on the stream
	return After(ctx, q, log, at)
}
