package changelog

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

const (
	// beatBack is how far back a heartbeat lists changed heads: several beats may be lost without a loss of heads.
	beatBack = 10 * time.Second
	// fencePatience is how long heartbeats only try the fence; then one waits for it, which holds up publishes.
	fencePatience = 3 * time.Second
	fenceWait     = "50ms"
)

// Settle implements publish.Clock. In the moment in which it alone holds the fence no transaction has taken a release
// time that it has not committed, so a snapshot from that moment has every release up to the time on the clock.
func (s *Source) Settle(ctx context.Context, all bool) (parts []record.Heartbeat, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("preparing a heartbeat: %w", err)
	}
	defer conn.Release()
	fence := fence{conn: conn}
	defer func() {
		if err != nil {
			parts, err = nil, errors.Join(err, fence.discard(ctx))
		}
	}()
	if err := fence.take(ctx, time.Since(s.settled) > fencePatience); err != nil {
		return nil, fmt.Errorf("preparing a heartbeat: %w", err)
	}
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var now time.Time
		if err := tx.QueryRow(ctx, `SELECT clock_timestamp(), `+postgres.HoldBriefly).Scan(&now, nil); err != nil { // takes the snapshot
			return err
		}
		beat := record.Heartbeat{Since: now.Add(-beatBack).UTC().Truncate(time.Millisecond)}
		if all {
			beat.Since = time.Time{}
		}
		if fence.held {
			beat.Settled = now.UTC().Truncate(time.Millisecond)
			s.settled = time.Now()
		}
		if err := fence.leave(ctx); err != nil {
			return err
		}
		parts, err = beatParts(ctx, tx, beat)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("preparing a heartbeat: %w", err)
	}
	return parts, nil
}

// endWhenIdle is a value to select that has a session end where its program sends nothing for five seconds.
const endWhenIdle = `set_config('idle_session_timeout', '5s', false)`

// fence holds SettleFence alone, as a lock of the connection's session: a snapshot is to be taken after it. The session ends
// where the program hangs while it holds the fence, which stops every publish.
type fence struct {
	conn  *pgxpool.Conn
	held  bool
	taken bool // now or before
}

// take tries to get the fence, or waits for it a moment; held says whether that worked.
func (f *fence) take(ctx context.Context, wait bool) error {
	err := f.conn.QueryRow(ctx, `SELECT held, CASE WHEN held THEN `+endWhenIdle+` END FROM (SELECT pg_try_advisory_lock($1) AS held) try`,
		postgres.SettleFence).Scan(&f.held, nil)
	if f.taken = f.held; err != nil || f.held || !wait {
		return err
	}
	err = pgx.BeginFunc(ctx, f.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+fenceWait+`'`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT pg_advisory_lock($1), `+endWhenIdle, postgres.SettleFence)
		f.held, f.taken = err == nil, err == nil
		return err
	})
	if postgres.LockTimedOut(err) {
		// Where the lock comes in the moment in which the wait for it ends, PostgreSQL reports the end of the wait, and the
		// session has the lock all the same.
		f.held, f.taken = true, true
		return f.leave(ctx)
	}
	return err
}

// discard closes a connection that had the fence and then failed: it may still have it, which would stop every publish, or be
// one that ends when it is idle.
func (f *fence) discard(ctx context.Context) error {
	if !f.taken {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dedicatedTimeout)
	defer cancel()
	return f.conn.Conn().Close(ctx)
}

// leave releases the fence; where that fails, discard does.
func (f *fence) leave(ctx context.Context) error {
	if !f.held {
		return nil
	}
	f.held = false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dedicatedTimeout)
	defer cancel()
	_, err := f.conn.Exec(ctx, `SELECT pg_advisory_unlock($1), set_config('idle_session_timeout', '0', false)`, postgres.SettleFence)
	if err != nil {
		return fmt.Errorf("leaving the fence: %w", err)
	}
	return nil
}

// beatParts reads the heads that a heartbeat lists and cuts them into ranges.
func beatParts(ctx context.Context, tx pgx.Tx, beat record.Heartbeat) ([]record.Heartbeat, error) {
	var parts []record.Heartbeat
	for {
		read, err := heads(tx.Query(ctx, `SELECT log, epoch, seq, chain FROM log_head
			WHERE log > $1 AND updated_at >= $2 ORDER BY log LIMIT $3`, beat.After, sinceOrEver(beat.Since), record.MaxBeatHeads))
		if err != nil {
			return nil, err
		}
		part := beat
		part.Heads = read
		if len(read) == record.MaxBeatHeads {
			part.Through = read[len(read)-1].Log
		}
		parts = append(parts, part)
		if part.Through == "" {
			return parts, nil
		}
		beat.After = part.Through
	}
}

func sinceOrEver(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0)
	}
	return t
}
