package changelog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/record"
)

const (
	// maxEpoch and maxRelease bound what can be raised above, so that no claim from outside exhausts the numbers.
	maxEpoch   = 1 << 40
	maxRelease = 1 << 60
)

// WentBack takes it that the database lost changes of a log, which somebody is seen to hold. The log's epoch is raised
// above that of the lost changes: numbers go on from the head as it is now, and whoever followed the lost changes tells
// by the epoch that their own, equal numbers no longer count. Of a project, the next release comes behind the lost ones
// in number and time, so that neither is ever given twice. Numbers have a gap then. What is above already stays, so a
// second call changes nothing.
func WentBack(ctx context.Context, pool *pgxpool.Pool, log string, lost publish.Lost) (publish.Raised, error) {
	if lost.Epoch > maxEpoch || lost.Release.Number > maxRelease || lost.Unnumbered > publish.MaxUnnumbered {
		return publish.Raised{}, fmt.Errorf("log %s: nothing counts above epoch %d and release %d", log, lost.Epoch, lost.Release.Number)
	}
	var r publish.Raised
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		r, err = raise(ctx, tx, log, lost)
		return err
	})
	if err != nil {
		return publish.Raised{}, fmt.Errorf("putting log %s behind what it lost: %w", log, err)
	}
	return r, nil
}

// Assess returns what WentBack would do.
func Assess(ctx context.Context, pool *pgxpool.Pool, log string, lost publish.Lost) (r publish.Raised, err error) {
	assessed := errors.New("assessed")
	err = postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if r, err = raise(ctx, tx, log, lost); err == nil {
			err = assessed
		}
		return err
	})
	if errors.Is(err, assessed) {
		return r, nil
	}
	return publish.Raised{}, fmt.Errorf("assessing what log %s lost: %w", log, err)
}

// raise goes in the order of locks: the counters of releases, then the log's head.
func raise(ctx context.Context, tx pgx.Tx, log string, lost publish.Lost) (publish.Raised, error) {
	r := publish.Raised{Log: log}
	if err := raiseReleases(ctx, tx, &r, lost); err != nil {
		return r, err
	}
	err := tx.QueryRow(ctx, `SELECT epoch, `+postgres.HoldBriefly+` FROM log_head WHERE log = $1 FOR UPDATE`, log).Scan(&r.EpochWas, nil)
	if err != nil {
		return r, err
	}
	if r.Epoch = max(r.EpochWas, lost.Epoch+1); r.Epoch == r.EpochWas {
		return r, nil
	}
	_, err = tx.Exec(ctx, `UPDATE log_head SET epoch = $2, updated_at = clock_timestamp() WHERE log = $1`, log, int64(r.Epoch))
	return r, err
}

func raiseReleases(ctx context.Context, tx pgx.Tx, r *publish.Raised, lost publish.Lost) error {
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

// WentBack implements publish.History.
func (s *Source) WentBack(ctx context.Context, log string, lost publish.Lost) (publish.Raised, error) {
	return WentBack(ctx, s.pool, log, lost)
}
