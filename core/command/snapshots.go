package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"svc/core"
	"svc/replication/record"
	"svc/replication/snapshot"
)

// Written is what became of the snapshot of a log.
type Written struct {
	Log string
	// Position and Object are those of the newest snapshot now; New says that it was written just now.
	Position record.Position
	Object   string
	Size     uint64
	New      bool
	Took     time.Duration
}

// WriteSnapshots writes a snapshot of each of these logs, named by id or slug, where it has moved since its newest one or
// that one is not whole, and verifies the newest one either way. None named are all. With fromNothing it writes them in any case, and
// builds on nothing that was written before. Cores may be running.
func WriteSnapshots(ctx context.Context, cfg core.Config, names []string, fromNothing bool, each func(Written) error, logger *slog.Logger) error {
	o, err := operate(ctx, cfg, logger)
	if err != nil {
		return err
	}
	defer o.close()
	logs, err := o.find(ctx, names)
	if err != nil {
		return err
	}
	w := &snapshot.Writer{Source: o.source, Blobs: o.blobs, Version: cfg.RecordVersion}
	for _, l := range logs {
		written, err := o.write(ctx, w, l.Log, fromNothing)
		if err != nil {
			return fmt.Errorf("snapshot of %s: %w", l.Log, err)
		}
		if err := each(written); err != nil {
			return err
		}
	}
	return nil
}

func (o *operation) write(ctx context.Context, w *snapshot.Writer, log string, fromNothing bool) (Written, error) {
	begin := time.Now()
	out := Written{Log: log, New: true}
	mine, err := o.source.Exclusive(ctx, log, func(ctx context.Context) error {
		if err := o.doubt(ctx, w, log, fromNothing); err != nil {
			return err
		}
		_, err := w.Write(ctx, log)
		return err
	})
	switch {
	case errors.Is(err, snapshot.ErrNotNewer):
		out.New = false
	case err != nil:
		return out, err
	case !mine:
		return out, errors.New("a core is writing it at the moment")
	}
	refs, err := o.source.Recorded(ctx, log, 1)
	if err != nil {
		return out, err
	}
	if len(refs) == 0 {
		return out, errors.New("it was written and is gone again")
	}
	if err := w.Verify(ctx, refs[0]); err != nil {
		return out, fmt.Errorf("verify %s: %w", refs[0].Manifest.Key, err)
	}
	out.Position, out.Object, out.Size, out.Took = refs[0].Position, refs[0].Manifest.Key, refs[0].Manifest.Size, time.Since(begin)
	return out, nil
}

// doubt reads the newest snapshot through, and forgets all where it is not whole: another is written in its place. With
// fromNothing it forgets them anyway.
func (o *operation) doubt(ctx context.Context, w *snapshot.Writer, log string, fromNothing bool) error {
	refs, err := o.source.Recorded(ctx, log, 1)
	if err != nil || len(refs) == 0 {
		return err
	}
	if fromNothing {
		return o.source.Forget(ctx, log)
	}
	err = w.VerifyOrForget(ctx, refs[0])
	var unsound *snapshot.DamagedError
	if errors.As(err, &unsound) {
		return nil
	}
	return err
}
