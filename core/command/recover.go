package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"svc/core"
	"svc/core/fleet"
	"svc/core/postgres"
	"svc/core/rewind"
	"svc/replication/stream"
)

// RecoverOptions say how to look for what the database lost.
type RecoverOptions struct {
	rewind.Options
	// WithoutStream goes by snapshots alone. Without the stream, and the edges that report through it, losses since the
	// newest snapshots do not show: Skip makes up for that, and goes with it alone.
	WithoutStream bool
}

// Recover compares every log with what the stream, the edges and the snapshots show of it, after the database went back
// to an older state. What was lost is put behind: a new epoch, and for projects release numbers and times above all that
// were ever given. A second call finds nothing to do. Cores may be running.
func Recover(ctx context.Context, cfg core.Config, o RecoverOptions, logger *slog.Logger) (out rewind.Recovered, err error) {
	if o.Skip > 0 && !o.WithoutStream {
		return out, errors.New("--skip goes with --without-stream: the stream and the edges tell which numbers were given, and numbers " +
			"that are left out cannot be had back. Run core recover without --skip, or give both where NATS or its data is lost")
	}
	if o.Skip > rewind.MaxUnnumbered {
		return out, fmt.Errorf("--skip is %d; it can be at most %d", o.Skip, uint64(rewind.MaxUnnumbered))
	}
	if err := postgres.Migrate(ctx, cfg.DatabaseURL); err != nil {
		return out, err
	}
	base, err := operate(ctx, cfg, logger)
	if err != nil {
		return out, err
	}
	defer base.close()
	with := &rewind.Comparison{Source: base.source, Blobs: base.blobs, Snapshots: true}
	if !o.WithoutStream {
		cfg.Stream.Name = "core-recover"
		conn, err := stream.Connect(cfg.Stream, logger)
		if err != nil {
			return out, err
		}
		defer conn.Close()
		if err := reach(ctx, conn, cfg.Stream.URL); err != nil {
			return out, err
		}
		with.Stream, with.Claims = conn, fleet.Claims(conn)
	}
	return rewind.Recover(ctx, base.pool, with, o.Options)
}

// reach waits until the stream can be read, and makes it where there is none.
func reach(ctx context.Context, conn *stream.Conn, address string) error {
	err := connected(ctx, conn, address)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, streamWait)
		defer cancel()
		err = conn.Ensure(ctx)
	}
	if err != nil {
		return errors.Join(errors.New("the stream cannot be read; bring NATS back, or pass --without-stream to go by snapshots alone, "+
			"and --skip to leave out as many release numbers as may have been given since those"), err)
	}
	return nil
}
