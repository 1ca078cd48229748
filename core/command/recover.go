package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"svc/core"
	"svc/core/changelog"
	"svc/core/fleet"
	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/stream"
)

// RecoverOptions say how to look for what the database lost.
type RecoverOptions struct {
	// DryRun tells what would be done.
	DryRun bool
	// WithoutStream goes by snapshots alone. Without the stream, and the edges that report through it, losses since the
	// newest snapshots do not show: Skip makes up for that, and goes with it alone.
	WithoutStream bool
	// Skip leaves out this many release numbers behind the newest release of every project, for releases that nobody can
	// tell of any more. Where as many are left out already, nothing changes.
	Skip uint64
}

// Recovered is what Recover found and did.
type Recovered struct {
	DryRun bool
	Logs   []RecoveredLog // with losses, by id
	// Compared says that every log was compared with everything that was asked for, and releases may be published.
	Compared bool
}

// RecoveredLog is a log of which somebody saw changes that the database does not have.
type RecoveredLog struct {
	publish.Loss
	publish.Raised
}

// Recover compares every log with what the stream, the edges and the snapshots show of it, after the database went back
// to an older state. What was lost is put behind: a new epoch, and for projects release numbers and times above all that
// were ever given. A second call finds nothing to do. Cores may be running.
func Recover(ctx context.Context, cfg core.Config, o RecoverOptions, logger *slog.Logger) (out Recovered, err error) {
	if o.Skip > 0 && !o.WithoutStream {
		return out, errors.New("--skip goes with --without-stream: the stream and the edges tell which numbers were given, and numbers " +
			"that are left out cannot be had back. Run core recover without --skip, or give both where NATS or its data is lost")
	}
	if o.Skip > publish.MaxUnnumbered {
		return out, fmt.Errorf("--skip is %d; it can be at most %d", o.Skip, uint64(publish.MaxUnnumbered))
	}
	if err := postgres.Migrate(ctx, cfg.DatabaseURL); err != nil {
		return out, err
	}
	base, err := operate(ctx, cfg, logger)
	if err != nil {
		return out, err
	}
	defer base.close()
	examiner := &publish.Examiner{Source: base.source, History: base.source, Blobs: base.blobs, Snapshots: true}
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
		examiner.Stream, examiner.Claims = conn, fleet.Claims(conn)
	}
	r := recovery{operation: base, examiner: examiner, options: o}
	return r.run(ctx)
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

type recovery struct {
	*operation
	examiner *publish.Examiner
	options  RecoverOptions
}

func (r *recovery) run(ctx context.Context) (Recovered, error) {
	out := Recovered{DryRun: r.options.DryRun}
	incarnation, _, err := r.source.Incarnation(ctx)
	if err != nil {
		return out, err
	}
	seen := map[string]bool{}
	err = r.examiner.Run(ctx, func(l publish.Loss) error {
		seen[l.Log] = true
		done := RecoveredLog{Loss: l}
		var err error
		if !l.Gone {
			l.Lost.Unnumbered = max(l.Lost.Unnumbered, r.skip(l.Log))
			if done.Raised, err = r.raise(ctx, l.Log, l.Lost); err != nil || !done.Any() {
				return err
			}
		}
		out.Logs = append(out.Logs, done)
		return nil
	})
	if err == nil && r.options.Skip > 0 {
		err = r.skipRest(ctx, seen, &out)
	}
	slices.SortFunc(out.Logs, func(a, b RecoveredLog) int { return cmp.Compare(a.Loss.Log, b.Loss.Log) })
	if err != nil || r.options.DryRun {
		return out, err
	}
	if out.Compared, err = r.source.Vouch(ctx, incarnation); err == nil && !out.Compared {
		err = errors.New("the database was started anew meanwhile; run this again")
	}
	return out, errors.Join(err, r.notifyCores(ctx, out.Logs))
}

func (r *recovery) skip(log string) uint64 {
	if strings.HasPrefix(log, "org_") {
		return 0
	}
	return r.options.Skip
}

func (r *recovery) raise(ctx context.Context, log string, lost publish.Lost) (publish.Raised, error) {
	if r.options.DryRun {
		return changelog.Assess(ctx, r.pool, log, lost)
	}
	return changelog.WentBack(ctx, r.pool, log, lost)
}

// skipRest leaves numbers out in the projects of which nobody showed a loss.
func (r *recovery) skipRest(ctx context.Context, seen map[string]bool, out *Recovered) error {
	const page = 4000
	for after := ""; ; {
		heads, err := r.source.Heads(ctx, after, page)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if seen[h.Log] || r.skip(h.Log) == 0 {
				continue
			}
			raised, err := r.raise(ctx, h.Log, publish.Lost{Unnumbered: r.skip(h.Log)})
			if err != nil {
				return err
			}
			if raised.Any() {
				out.Logs = append(out.Logs, RecoveredLog{publish.Loss{Log: h.Log, Head: h.Position}, raised})
			}
		}
		if len(heads) < page {
			return nil
		}
		after = heads[len(heads)-1].Log
	}
}

// notifyCores has running cores begin the new epochs on the stream at once.
func (r *recovery) notifyCores(ctx context.Context, logs []RecoveredLog) error {
	var names []string
	for _, l := range logs {
		if !l.Gone {
			names = append(names, l.Loss.Log)
		}
	}
	return r.source.Notify(ctx, names)
}
