package changelog

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// changes makes whole changes of stored rows, from the first on and as many as one reading takes: at least one.
func changes(ctx context.Context, q batcher, log string, head record.Position, rows []row) ([]*record.Change, error) {
	releases, taken, err := releaseBodies(ctx, q, log, rows)
	if err != nil {
		return nil, err
	}
	rows = rows[:taken]
	pushes, err := schemaBodies(ctx, q, log, rows)
	if err != nil {
		return nil, err
	}
	all := make([]*record.Change, len(rows))
	for i, r := range rows {
		body, err := r.message(releases, pushes)
		if err != nil {
			return nil, fmt.Errorf("change %d of log %s: %w", r.seq, log, err)
		}
		all[i] = &record.Change{
			Log:      log,
			Position: record.Position{Epoch: head.Epoch, Seq: r.seq, Chain: r.chain},
			Prev:     r.prev,
			Kind:     r.kind,
			Digest:   r.digest,
			Time:     r.at.UTC(),
			Body:     body,
		}
	}
	return all, nil
}

func (r row) message(releases map[int64]*recordpb.Release, pushes map[int64]*recordpb.Schema) (proto.Message, error) {
	switch {
	case r.body != nil:
		return record.DecodeBody(r.kind, r.body)
	case r.kind == record.KindRelease && releases[r.ref] != nil:
		return releases[r.ref], nil
	case r.kind == record.KindSchema && pushes[r.ref] != nil:
		return pushes[r.ref], nil
	}
	return nil, fmt.Errorf("there are no rows for %s %d", r.kind, r.ref)
}

// refs returns the numbers that rows of a kind refer to.
func refs(rows []row, kind record.Kind) []int64 {
	var numbers []int64
	for _, r := range rows {
		if r.kind == kind && r.body == nil {
			numbers = append(numbers, r.ref)
		}
	}
	return numbers
}
