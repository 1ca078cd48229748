package rewind

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/replication/record"
)

// Options say what Recover does beside comparing.
type Options struct {
	// DryRun tells what would be done.
	DryRun bool
	// Skip leaves out this many release numbers behind the newest release of every project, for releases that are no
	// longer known. Where as many are left out already, nothing changes.
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
	Loss
	Raised
}

// Recover compares every log and raises those with losses, as a running core does too. A second call finds nothing to do.
func Recover(ctx context.Context, pool *pgxpool.Pool, c *Comparison, o Options) (Recovered, error) {
	out := Recovered{DryRun: o.DryRun}
	var incarnation string
	if err := pool.QueryRow(ctx, `SELECT `+incarnationSQL).Scan(&incarnation); err != nil {
		return out, err
	}
	seen := map[string]bool{}
	put := func(l Loss) error {
		seen[l.Log] = true
		if l.Gone {
			out.Logs = append(out.Logs, RecoveredLog{Loss: l})
			return nil
		}
		if project(l.Log) {
			l.Lost.Unnumbered = max(l.Lost.Unnumbered, o.Skip)
		}
		raised, err := raiseEpoch(ctx, pool, l.Log, l.Lost, o.DryRun)
		if err == nil && raised.Any() {
			out.Logs = append(out.Logs, RecoveredLog{l, raised})
		}
		return err
	}
	err := c.Run(ctx, put)
	if err == nil && o.Skip > 0 {
		err = heads(ctx, c.Source, func(h record.Head, _ record.Stamp) error {
			if seen[h.Log] || !project(h.Log) {
				return nil
			}
			return put(Loss{Log: h.Log, Head: h.Position})
		})
	}
	slices.SortFunc(out.Logs, func(a, b RecoveredLog) int { return cmp.Compare(a.Loss.Log, b.Loss.Log) })
	if err != nil || o.DryRun {
		return out, err
	}
	if out.Compared, err = markCompared(ctx, pool, incarnation); err == nil && !out.Compared {
		err = errors.New("the database was restarted meanwhile; run this again")
	}
	return out, err
}
