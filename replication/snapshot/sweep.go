package snapshot

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
	"svc/shared/fault"
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

// ErrBroken is in the error of Whole and Verify where objects of a snapshot are gone or are not what they should be, and
// not where the object store cannot be asked.
var ErrBroken = errors.New("the snapshot is not whole")

// Whole checks that all objects of a snapshot are there, with the sizes they should have.
func (w *Writer) Whole(ctx context.Context, ref Ref) error {
	_, err := w.whole(ctx, ref)
	return err
}

func (w *Writer) whole(ctx context.Context, ref Ref) (*recordpb.Manifest, error) {
	m, err := Open(ctx, w.Blobs, ref.Log, ref.Manifest)
	if err != nil {
		return nil, broken(err)
	}
	if At(m) != ref.Position {
		return nil, fmt.Errorf("%w: the manifest of %s at %s leads to %s", ErrBroken, ref.Log, ref.Position, At(m))
	}
	for _, part := range parts(m) {
		info, err := w.Blobs.Head(ctx, part.Key)
		if err != nil {
			return nil, broken(fmt.Errorf("look at %s: %w", part.Key, err))
		}
		if info.Size != int64(part.Size) {
			return nil, fmt.Errorf("%w: object %s has %d bytes instead of %d", ErrBroken, part.Key, info.Size, part.Size)
		}
	}
	return m, nil
}

// Verify checks that a snapshot is whole, and reads its manifest, state and tail and compares them with their hashes. Its
// segments were compared when they were written.
func (w *Writer) Verify(ctx context.Context, ref Ref) error {
	m, err := w.whole(ctx, ref)
	if err != nil {
		return err
	}
	for _, part := range parts(m) {
		if part != m.State && part != m.Tail {
			continue
		}
		if err := readPart(ctx, w.Blobs, part, discard); err != nil {
			return broken(err)
		}
	}
	return nil
}

// broken marks an error that is about what is stored, rather than that it could not be asked for.
func broken(err error) error {
	var unknown *record.UnknownError
	if errors.As(err, &unknown) || fault.Is(err, fault.Unavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}

func discard(record.Kind, proto.Message) error { return nil }
