package preview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/read"
)

// at is the release that a pin reads; 0 is the head.
func (v *view) at(pin uint64) int64 {
	if pin == 0 {
		return int64(v.head.Number)
	}
	return int64(min(pin, v.head.Number))
}

// Release implements read.View.
func (v *view) Release(ctx context.Context, n uint64) (content.Release, bool, error) {
	switch {
	case n < 1 || n > v.head.Number:
		return content.Release{}, false, nil
	case n == v.head.Number:
		return v.head, true, nil
	}
	r := content.Release{Number: n}
	err := v.tx.QueryRow(ctx, `SELECT published_at FROM release WHERE project_id = $1 AND number = $2`,
		v.project.ID, int64(n)).Scan(&r.PublishedAt)
	if errors.Is(err, pgx.ErrNoRows) { // left out by a recovery
		return content.Release{}, false, nil
	}
	if err != nil {
		return content.Release{}, false, failed(err, "reading release %d", n)
	}
	r.PublishedAt = r.PublishedAt.UTC()
	return r, true, nil
}

// ReleaseAt implements read.View. A time that was not settled when the view was opened is settled for later views,
// where that is possible.
func (v *view) ReleaseAt(ctx context.Context, t time.Time) (content.Release, bool, error) {
	var r content.Release
	var number *uint64
	var published *time.Time
	var now time.Time // by the clock that release times come from
	// The database's times are finer than milliseconds, those of releases are not.
	err := v.tx.QueryRow(ctx, `SELECT clock_timestamp(), r.number, r.published_at FROM (SELECT) one LEFT JOIN LATERAL (
		SELECT number, published_at FROM release WHERE project_id = $1 AND published_at <= $2
		ORDER BY published_at DESC LIMIT 1) r ON true`,
		v.project.ID, t.Truncate(time.Millisecond)).Scan(&now, &number, &published)
	if err != nil {
		return r, false, failed(err, "looking for the release at %s", content.FormatTime(t))
	}
	if number != nil {
		r = content.Release{Number: *number, PublishedAt: published.UTC()}
	}
	if t.Before(v.settled) {
		return r, true, nil
	}
	if !t.After(now) {
		if err := v.store.settle(ctx, t); err != nil {
			return r, false, err
		}
	}
	return r, false, nil
}

// maxFence bounds how long a read waits for publishes that took their time and have not committed yet.
const maxFence = time.Second

// settle moves the settled time up to now, unless it lies behind t already: it waits for the publishes in progress
// to end, and no later one can get an earlier time than the clock shows then. Where they take too long, t stays
// unsettled.
func (s *Store) settle(ctx context.Context, t time.Time) error {
	s.probing.Lock()
	defer s.probing.Unlock()
	if t.UnixMilli() < s.settled.Load() {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, 2*maxFence)
	defer cancel()
	var now time.Time
	err := postgres.InTx(waiting, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(waiting, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, maxFence.Milliseconds())); err != nil {
			return err
		}
		if _, err := tx.Exec(waiting, `SELECT pg_advisory_xact_lock($1)`, postgres.SettleFence); err != nil {
			return err
		}
		return tx.QueryRow(waiting, `SELECT date_trunc('milliseconds', clock_timestamp())`).Scan(&now)
	})
	switch {
	case err == nil:
		s.settled.Store(max(s.settled.Load(), now.UnixMilli()))
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case waiting.Err() != nil || postgres.LockTimedOut(err):
		return nil
	}
	return failed(err, "waiting for publishes in progress")
}

// Frame implements read.View.
func (v *view) Frame(ctx context.Context, collection string, pin uint64) (read.Frame, error) {
	if pin == 0 {
		f := read.Frame{Locales: v.project.Locales, DefaultLocale: v.project.DefaultLocale}
		if c, found := v.Collection(collection); found {
			f.Schema, f.Version = c.Schema, c.Version
		}
		return f, nil
	}
	var f read.Frame
	var err error
	if f.Schema, f.Version, err = schemadeploy.SchemaAtRelease(ctx, v.tx, v.project.ID, collection, pin); err != nil {
		return f, failed(err, "reading the schema of %s at release %d", collection, pin)
	}
	err = v.tx.QueryRow(ctx, `SELECT locales, default_locale FROM project_locales
		WHERE project_id = $1 AND from_release <= $2 ORDER BY from_release DESC LIMIT 1`,
		v.project.ID, int64(pin)).Scan(&f.Locales, &f.DefaultLocale)
	if err != nil {
		return f, failed(err, "reading the locales at release %d", pin)
	}
	return f, nil
}
