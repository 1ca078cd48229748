package snapshot

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/shared/blob"
)

// Kept is how many snapshots of a log stay complete.
const Kept = 3

// Sweep deletes what belongs only to snapshots older than the newest three, left-overs of failed attempts included.
func (w *Writer) Sweep(ctx context.Context, log string) error {
	kept, err := w.Source.Recorded(ctx, log, Kept)
	if err != nil {
		return err
	}
	if len(kept) < Kept {
		return nil
	}
	oldest := kept[Kept-1].Position
	var old []string
	err = w.Blobs.List(ctx, atPrefix(log), func(o blob.Info) error {
		if at, ok := placeOf(log, o.Key); ok && Before(at, oldest) {
			old = append(old, o.Key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for old snapshots of %s: %w", log, err)
	}
	var failed []error
	for _, key := range old {
		failed = append(failed, w.Blobs.Delete(ctx, key))
	}
	return errors.Join(failed...)
}

// Verify checks that a snapshot is whole: all of its objects are read and compared with their hashes. One that is not as
// it was written is an DamagedError.
func (w *Writer) Verify(ctx context.Context, ref Ref) error {
	if err := checkHash(ctx, w.Blobs, ref.Manifest); err != nil {
		return err
	}
	m, err := Open(ctx, w.Blobs, ref.Log, ref.Manifest)
	if err != nil {
		return err
	}
	if At(m) != ref.Position {
		return fmt.Errorf("the manifest of %s at %s leads to %s", ref.Log, ref.Position, At(m))
	}
	for _, part := range m.Segments {
		if err := checkHash(ctx, w.Blobs, part); err != nil {
			return err
		}
	}
	for _, part := range parts(m) {
		if part != m.State && part != m.Tail {
			continue
		}
		if err := readPart(ctx, w.Blobs, part, discard); err != nil {
			return err
		}
	}
	return nil
}

func discard(record.Kind, proto.Message) error { return nil }
