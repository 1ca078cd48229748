package rewind

import (
	"context"
	"fmt"
	"time"

	"svc/core/postgres"
	"svc/shared/telemetry"
)

// incarnationSQL names the database as it runs now. Each start of the server gives another name, and so does a database
// or a table that was created again: nothing else takes a database back to a backup.
const incarnationSQL = `concat_ws('.', (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
	(SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('release_head'))`

// CheckedSQL is a condition that a publish checks in its own transaction: nothing was ever to be compared, or the
// database as it runs now was.
const CheckedSQL = `NOT EXISTS (SELECT FROM history_check WHERE incarnation <> ` + incarnationSQL + `)`

// RequireComparison has releases wait, from the next start of the database on, until its logs were compared with what others saw of
// them. Before that a database may be used without anybody who compares.
func RequireComparison(ctx context.Context, q postgres.Querier) error {
	if _, err := q.Exec(ctx, `INSERT INTO history_check (incarnation) VALUES ('') ON CONFLICT DO NOTHING`); err != nil {
		return fmt.Errorf("having releases wait for a comparison: %w", err)
	}
	return nil
}

// Checked reports whether all logs were compared in the incarnation of the database as it runs now.
func Checked(ctx context.Context, q postgres.Querier) (checked bool, err error) {
	if err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM history_check WHERE incarnation = `+incarnationSQL+`)`).Scan(&checked); err != nil {
		return false, fmt.Errorf("looking whether the database was compared: %w", err)
	}
	return checked, nil
}

// markCompared lets releases be published in an incarnation, after all logs were compared with what others saw of them; false
// where it is another incarnation by now.
func markCompared(ctx context.Context, q postgres.Querier, incarnation string) (bool, error) {
	tag, err := q.Exec(ctx, `INSERT INTO history_check (incarnation) SELECT $1 WHERE $1 = `+incarnationSQL+`
		ON CONFLICT (one) DO UPDATE SET incarnation = excluded.incarnation, checked_at = now()`, incarnation)
	if err != nil {
		return false, fmt.Errorf("recording that the database was compared: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// moment is where the database is: both figures grow while all is well.
type moment struct {
	incarnation string
	checked     bool
	clock       time.Time
	written     int64 // bytes of its log, ever
}

func (g *Guard) readMoment(ctx context.Context) (m moment, err error) {
	err = g.pool.QueryRow(ctx, `SELECT i, EXISTS (SELECT FROM history_check WHERE incarnation = i), clock_timestamp(),
		(pg_current_wal_insert_lsn() - '0/0')::bigint FROM (SELECT `+incarnationSQL+` AS i) now`).Scan(&m.incarnation, &m.checked, &m.clock, &m.written)
	if err != nil {
		return m, fmt.Errorf("looking which incarnation of the database this is: %w", err)
	}
	return m, nil
}

// clockSlack is how far a clock may be set back without anybody being told.
const clockSlack = 100 * time.Millisecond

// follow compares a moment with those before. A machine that was set back with all that ran on it shows in nothing else.
func (g *Guard) follow(ctx context.Context, now *moment) error {
	back := g.latest.Sub(now.clock)
	g.alarms.When(back > clockSlack, telemetry.ClockWentBack, "", fmt.Sprintf(
		"the database's clock shows %s after it showed %s; release times go on by a millisecond each until it is there again",
		now.clock.UTC().Format(time.RFC3339Nano), g.latest.UTC().Format(time.RFC3339Nano)))
	if g.latest.Before(now.clock) {
		g.latest = now.clock
	}
	if g.last.incarnation == now.incarnation && g.last.written > now.written {
		g.log.Error("the database has written less than a moment ago: it was set back; all logs are compared again before anything is published",
			"before", g.last.written, "now", now.written)
		g.commits.Behind.Store(true)
		if _, err := g.pool.Exec(ctx, `UPDATE history_check SET incarnation = ''`); err != nil {
			return fmt.Errorf("having the database compared again: %w", err) // seen again with the next moment
		}
		now.checked = false
	}
	g.last = *now
	return nil
}
