package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/telemetry"
)

// moment is where the database is: both figures grow while all is well.
type moment struct {
	incarnation string
	clock       time.Time
	written     int64 // bytes of its log, ever
}

func (m *moment) read(ctx context.Context, tx pgx.Tx) error {
	return tx.QueryRow(ctx, `SELECT clock_timestamp(), (pg_current_wal_insert_lsn() - '0/0')::bigint, `+incarnationSQL+`, `+postgres.HoldBriefly).
		Scan(&m.clock, &m.written, &m.incarnation, nil)
}

// watch compares moments of the database. A machine that was set back with all that ran on it shows in nothing else.
type watch struct {
	last   moment
	latest time.Time // that the clock ever showed
}

// clockSlack is how far a clock may be set back without anybody being told.
const clockSlack = 100 * time.Millisecond

func (w *watch) follow(ctx context.Context, s *Source, now moment) error {
	back := w.latest.Sub(now.clock)
	s.Alarms.When(back > clockSlack, telemetry.ClockWentBack, "", fmt.Sprintf(
		"the database's clock shows %s after it showed %s; release times go on by a millisecond each until it is there again",
		now.clock.UTC().Format(time.RFC3339Nano), w.latest.UTC().Format(time.RFC3339Nano)))
	if w.latest.Before(now.clock) {
		w.latest = now.clock
	}
	if w.last.incarnation == now.incarnation && w.last.written > now.written {
		s.log.Error("the database has written less than a moment ago: it was set back; all logs are compared again before anything is published",
			"before", w.last.written, "now", now.written)
		if err := s.doubt(ctx); err != nil {
			return err // seen again with the next moment
		}
	}
	w.last = now
	return nil
}
