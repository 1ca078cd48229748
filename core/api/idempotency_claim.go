package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/shared/fault"
)

const (
	// patience is how long a request waits for the first one with its key.
	patience = 25 * time.Second
	// lease is how long after its core last spoke of it a request counts as running, and renewal how often that is.
	lease   = 2 * time.Second
	renewal = lease / 4
	// watched is how long the answer of a request that took effect is waited for after its lease.
	watched = 2 * renewal
	// longest is how long a request of a core that does not speak of its requests may run.
	longest = 15 * time.Minute
	// uncertain stands for the status of a request of which nobody knows whether it took effect. Earlier builds wrote it.
	uncertain = 0
)

var (
	// errRunning says that the first request with a key has not finished yet.
	errRunning = errors.New("the first request with this key is still running")
	// errUnanswered says that the first request took effect and that nobody is about to note its answer.
	errUnanswered = fault.New(fault.Conflict, "the first request with this %s took effect, but its answer was lost with the core "+
		"that ran it: read what it made instead of sending it with a new key", idempotencyHeader)
	errUnknown = fault.New(fault.Conflict, "nobody knows whether the first request with this %s took effect; "+
		"see whether it did before you send it with a new key", idempotencyHeader)
	errStillRunning = fault.New(fault.Conflict, "the first request with this %s has not finished; send it again with the same key "+
		"to get its answer", idempotencyHeader)
)

// take takes the key for a request, or returns the answer that it has already. Where the first request with it is still
// running, it waits for that one for a while, unless its caller leaves: it then has its answer, or the key where that failed.
func (a *answers) take(caller, ctx context.Context, hash []byte, patience time.Duration) (*reply, error) {
	return await(caller, ctx, patience, func() (*reply, error) { return a.claim(ctx, hash) })
}

// existing returns the answer that a request has already, for which it waits as take does, or nil where its key is free.
func (a answers) existing(caller, ctx context.Context, hash []byte, patience time.Duration) (*reply, error) {
	return await(caller, ctx, patience, func() (*reply, error) {
		first, _, err := a.find(ctx, hash)
		return first, err
	})
}

// await looks for an answer until the first request is not running any more.
func await(caller, ctx context.Context, patience time.Duration, look func() (*reply, error)) (*reply, error) {
	began := time.Now()
	waiting, stop := context.WithTimeout(caller, patience)
	defer stop()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		first, err := look()
		lost := errors.Is(err, errUnanswered)
		if !errors.Is(err, errRunning) && !lost || lost && time.Since(began) > watched {
			return first, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, errStillRunning
		case <-waiting.Done():
			if lost {
				return nil, err
			}
			return nil, errStillRunning
		}
	}
}

// claim takes the key for a request, or returns the answer that it has already; errRunning where it has none yet. It looks
// first, since taking a key waits for a transaction that marks it.
func (a *answers) claim(ctx context.Context, hash []byte) (*reply, error) {
	first, there, err := a.find(ctx, hash)
	if err != nil || first != nil {
		return first, err
	}
	sql := `INSERT INTO idempotency (actor_id, key, request_hash, seen_at) VALUES ($1, $2, $3, clock_timestamp())
		ON CONFLICT DO NOTHING RETURNING created_at`
	args := []any{a.actor, a.key, hash}
	if there {
		// The row is locked while a transaction marks it: such a request runs.
		sql = `WITH free AS (
				SELECT actor_id, key, created_at FROM idempotency
				WHERE actor_id = $1 AND key = $2 AND (created_at < now() - $4::interval
					OR status IS NULL AND NOT took_effect AND seen_at < clock_timestamp() - $5::interval)
				FOR UPDATE SKIP LOCKED)
			UPDATE idempotency i SET request_hash = $3, status = NULL, content_type = NULL, body = NULL, took_effect = false,
				created_at = greatest(clock_timestamp(), i.created_at + interval '1 microsecond'), seen_at = clock_timestamp()
			FROM free WHERE i.actor_id = free.actor_id AND i.key = free.key AND i.created_at = free.created_at
			RETURNING i.created_at`
		args = append(args, keepAnswers, lease)
	}
	switch err := a.pool.QueryRow(ctx, sql, args...).Scan(&a.claimed); {
	case errors.Is(err, pgx.ErrNoRows): // another one was faster
		return nil, errRunning
	case err != nil:
		return nil, fmt.Errorf("claiming an idempotency key: %w", err)
	}
	return nil, nil
}

// find returns the answer that a request has already; errRunning where it has none yet. Without either the key is free,
// though it may be there: it is past its time, or its core went before it took effect.
func (a answers) find(ctx context.Context, hash []byte) (answer *reply, there bool, err error) {
	var was, sealed []byte
	var status *int
	var expired, speaks, running, effect bool
	err = a.pool.QueryRow(ctx, `SELECT request_hash, status, body, took_effect, created_at < now() - $3::interval, seen_at IS NOT NULL,
			coalesce(seen_at >= clock_timestamp() - $4::interval, created_at >= now() - $5::interval)
		FROM idempotency WHERE actor_id = $1 AND key = $2`, a.actor, a.key, keepAnswers, lease, longest).
		Scan(&was, &status, &sealed, &effect, &expired, &speaks, &running)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("reading an idempotency key: %w", err)
	case expired, status == nil && speaks && !running && !effect:
		return nil, true, nil
	case !bytes.Equal(was, hash):
		return nil, true, fault.New(fault.Conflict, "this %s was used for another request; use a new key", idempotencyHeader)
	case status == nil && running:
		return nil, true, errRunning
	case status == nil && effect:
		return nil, true, errUnanswered
	case status == nil || *status == uncertain:
		return nil, true, errUnknown
	case sealed == nil:
		return &reply{status: *status}, true, nil
	}
	body, err := a.open(sealed)
	return &reply{status: *status, body: kept(body)}, true, err
}
