package rewind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/replication/record"
)

// Lost is what is known about changes that the database once had and no longer has.
type Lost struct {
	// Epoch is the highest one in which such changes were seen.
	Epoch uint64
	// Release is the newest release among them: number and time, each the highest that was seen.
	Release record.Stamp
	// Unnumbered is how many more of them may have been releases, whose numbers are no longer known.
	Unnumbered uint64
}

// join returns what both know.
func (l Lost) join(other Lost) Lost {
	return Lost{
		Epoch: max(l.Epoch, other.Epoch), Release: l.Release.Join(other.Release), Unnumbered: max(l.Unnumbered, other.Unnumbered),
	}
}

// Raised is what the loss of changes made of a log: its epoch, and the number and the time behind which the next release
// of the project comes.
type Raised struct {
	Log             string
	EpochWas, Epoch uint64
	Was, Now        record.Stamp
}

// Any reports whether anything was raised.
func (r Raised) Any() bool { return r.EpochWas != r.Epoch || r.Was != r.Now }

const (
	// maxEpoch, maxRelease and MaxUnnumbered bound what can be raised above, so that no claim from outside exhausts the numbers.
	maxEpoch      = 1 << 40
	maxRelease    = 1 << 60
	MaxUnnumbered = 1 << 32
)

var errDry = errors.New("nothing is to be changed")

// raiseEpoch takes it that the database lost changes of a log; a dry one only tells what it would do. Numbers go on from the head as
// it is now, and the epoch tells edges that followed the lost changes that their own, equal numbers no longer count. Release
// numbers have a gap then. It goes in the order of locks: the counters of releases, then the log's head.
func raiseEpoch(ctx context.Context, pool *pgxpool.Pool, log string, lost Lost, dry bool) (Raised, error) {
	r := Raised{Log: log}
	if lost.Epoch > maxEpoch || lost.Release.Number > maxRelease || lost.Unnumbered > MaxUnnumbered {
		return r, fmt.Errorf("log %s: nothing counts above epoch %d and release %d", log, lost.Epoch, lost.Release.Number)
	}
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		if err := raiseReleases(ctx, tx, &r, lost); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT epoch, `+postgres.HoldBriefly+` FROM log_head WHERE log = $1 FOR UPDATE`, log).Scan(&r.EpochWas, nil)
		if err != nil {
			return err
		}
		if r.Epoch = max(r.EpochWas, lost.Epoch+1); r.Epoch != r.EpochWas {
			_, err = tx.Exec(ctx, `UPDATE log_head SET epoch = $2, updated_at = clock_timestamp() WHERE log = $1`, log, int64(r.Epoch))
		}
		if err == nil && dry {
			err = errDry
		}
		return err
	})
	if err != nil && !errors.Is(err, errDry) {
		return Raised{}, fmt.Errorf("putting log %s behind what it lost: %w", log, err)
	}
	return r, nil
}

func raiseReleases(ctx context.Context, tx pgx.Tx, r *Raised, lost Lost) error {
	var published uint64 // the newest release that is there
	var clock time.Time
	err := tx.QueryRow(ctx, `SELECT number, published_at, date_trunc('milliseconds', clock_timestamp()),
			coalesce((SELECT max(number) FROM release WHERE project_id = $1), 0)
		FROM release_head WHERE project_id = $1 FOR UPDATE`, r.Log).Scan(&r.Was.Number, &r.Was.Time, &clock, &published)
	if errors.Is(err, pgx.ErrNoRows) { // the log of an organization
		return nil
	}
	if err != nil {
		return err
	}
	r.Was.Time = r.Was.Time.UTC()
	r.Now = r.Was.Join(lost.Release)
	if lost.Unnumbered > 0 {
		newest := max(published, lost.Release.Number)
		// Where as many are left out already, nothing moves: the time was raised with them, and the clock goes on.
		if newest+lost.Unnumbered > r.Now.Number {
			r.Now = r.Now.Join(record.Stamp{Number: newest + lost.Unnumbered, Time: clock.UTC()})
		}
	}
	if r.Now == r.Was {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE release_head SET number = $2, published_at = $3 WHERE project_id = $1`,
		r.Log, int64(r.Now.Number), r.Now.Time)
	return err
}
