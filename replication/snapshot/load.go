package snapshot

import (
	"context"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
)

// batchBytes is how much is read ahead, apart from a release that is larger by itself.
const batchBytes = 2 << 20

type framed struct {
	kind record.Kind
	body proto.Message
}

// Load reads all parts of a snapshot and gives their bodies to emit, in the order of the package. Only when it
// returns nil was everything right and complete: what emit took must not be used before. Fetching and decoding run
// beside emit.
func Load(ctx context.Context, store blob.Store, m *recordpb.Manifest, emit Emit) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan []framed)
	failed := make(chan error, 1)
	go func() {
		defer close(batches)
		failed <- readAll(ctx, store, m, batches)
	}()
	var err error
	for batch := range batches {
		for _, f := range batch {
			if err != nil {
				break // the reader ends soon
			}
			if err = emit(f.kind, f.body); err != nil {
				stop()
			}
		}
	}
	if readErr := <-failed; err == nil {
		err = readErr
	}
	return err
}

func readAll(ctx context.Context, store blob.Store, m *recordpb.Manifest, batches chan<- []framed) error {
	var batch []framed
	size := 0
	send := func() error {
		select {
		case batches <- batch:
			batch, size = nil, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, part := range parts(m) {
		err := readPart(ctx, store, part, func(kind record.Kind, body proto.Message) error {
			batch, size = append(batch, framed{kind, body}), size+proto.Size(body)
			if size < batchBytes {
				return nil
			}
			return send()
		})
		if err != nil {
			return err
		}
	}
	return send()
}
