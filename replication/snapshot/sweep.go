package snapshot

import (
	"context"
	"errors"
	"fmt"

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
