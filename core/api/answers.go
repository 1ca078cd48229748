package api

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/shared/fault"
)

const (
	// keepAnswers is how long an answer is kept for its Idempotency-Key.
	keepAnswers = 24 * time.Hour
	// longest is how long a request may run; one that has no outcome then was lost with its core.
	longest = 15 * time.Minute
	// patience is how long a request waits for the first one with its key.
	patience = 25 * time.Second
	// uncertain stands for the status of a request of which nobody knows whether it took effect.
	uncertain = 0
)

// answers keeps the answer to one key of one actor. Bodies are sealed with what only the caller knows, since some of
// them carry a secret that is shown once and is otherwise stored as a hash alone.
type answers struct {
	pool   *pgxpool.Pool
	actor  string
	key    string
	secret string // the caller's credential
	// claimed is when the key was taken for this request. What is noted of it touches no later claim.
	claimed time.Time
}

// take takes the key for a request, or returns the answer that it has already. Where the first request with it is still
// running, it waits for that one for a while: it then has its answer, or the key where it failed.
func (a *answers) take(ctx context.Context, hash []byte, patience time.Duration) (*reply, error) {
	return await(ctx, patience, func() (*reply, error) { return a.claim(ctx, hash) })
}

// given returns the answer that a request has already, for which it waits as take does, or nil where its key is free.
func (a answers) given(ctx context.Context, hash []byte, patience time.Duration) (*reply, error) {
	return await(ctx, patience, func() (*reply, error) { return a.find(ctx, hash) })
}

// await looks for an answer until the first request is not running any more.
func await(ctx context.Context, patience time.Duration, look func() (*reply, error)) (*reply, error) {
	waiting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		first, err := look()
		if !errors.Is(err, errRunning) {
			return first, err
		}
		select {
		case <-time.After(pause):
		case <-waiting.Done():
			return nil, stillRunning()
		}
	}
}

// errRunning says that the first request with a key has not finished yet.
var errRunning = errors.New("the first request with this key is still running")

func stillRunning() error {
	return fault.New(fault.Conflict,
		"the first request with this %s has not finished; see whether it took effect before you send it with a new key", idempotencyHeader)
}

// claim takes the key for a request, or returns the answer that it has already; errRunning where it has none yet.
func (a *answers) claim(ctx context.Context, hash []byte) (*reply, error) {
	err := a.pool.QueryRow(ctx, `
		INSERT INTO idempotency AS i (actor_id, key, request_hash) VALUES ($1, $2, $3)
		ON CONFLICT (actor_id, key) DO UPDATE
		SET request_hash = excluded.request_hash, status = NULL, content_type = NULL, body = NULL, created_at = now()
		WHERE i.created_at < now() - $4::interval
		RETURNING created_at`, a.actor, a.key, hash, keepAnswers).Scan(&a.claimed)
	if err == nil {
		return nil, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("claiming an idempotency key: %w", err)
	}
	first, err := a.find(ctx, hash)
	if err == nil && first == nil { // released between the two statements
		return nil, errRunning
	}
	return first, err
}

// find returns the answer that a request has already, or nil where its key is free; errRunning where it has none yet.
func (a answers) find(ctx context.Context, hash []byte) (*reply, error) {
	var was, sealed []byte
	var status *int
	var running bool
	err := a.pool.QueryRow(ctx, `SELECT request_hash, status, body, created_at >= now() - $4::interval FROM idempotency
		WHERE actor_id = $1 AND key = $2 AND created_at >= now() - $3::interval`, a.actor, a.key, keepAnswers, longest).Scan(&was, &status, &sealed, &running)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading an idempotency key: %w", err)
	case !bytes.Equal(was, hash):
		return nil, fault.New(fault.Conflict, "this %s was used for another request; use a new key", idempotencyHeader)
	case status == nil && running:
		return nil, errRunning
	case status == nil || *status == uncertain:
		return nil, stillRunning()
	case sealed == nil:
		return &reply{status: *status}, nil
	}
	body, err := a.open(sealed)
	return &reply{status: *status, body: kept(body)}, err
}

// keep stores the answer for later requests with the key.
func (a answers) keep(ctx context.Context, answer reply) error {
	var sealed []byte
	if body, ok := answer.body.(kept); ok {
		box, err := a.box()
		if err != nil {
			return err
		}
		sealed = box.Seal(nil, nil, body, nil)
	}
	_, err := a.pool.Exec(ctx, `UPDATE idempotency SET status = $4, content_type = $5, body = $6
		WHERE actor_id = $1 AND key = $2 AND created_at = $3`, a.actor, a.key, a.claimed, answer.status, typeJSON, sealed)
	if err != nil {
		return fmt.Errorf("keeping an answer for its idempotency key: %w", err)
	}
	return nil
}

// doubt notes that nobody knows whether the request took effect.
func (a answers) doubt(ctx context.Context) error {
	_, err := a.pool.Exec(ctx, `UPDATE idempotency SET status = $4 WHERE actor_id = $1 AND key = $2 AND created_at = $3`,
		a.actor, a.key, a.claimed, uncertain)
	if err != nil {
		return fmt.Errorf("noting an uncertain outcome for an idempotency key: %w", err)
	}
	return nil
}

// release makes the key free again.
func (a answers) release(ctx context.Context) error {
	_, err := a.pool.Exec(ctx, `DELETE FROM idempotency WHERE actor_id = $1 AND key = $2 AND created_at = $3`, a.actor, a.key, a.claimed)
	if err != nil {
		return fmt.Errorf("releasing an idempotency key: %w", err)
	}
	return nil
}

func (a answers) open(sealed []byte) ([]byte, error) {
	box, err := a.box()
	if err != nil {
		return nil, err
	}
	body, err := box.Open([]byte{}, nil, sealed, nil)
	if err != nil {
		return nil, fmt.Errorf("opening a kept answer: %w", err)
	}
	return body, nil
}

// box seals under a key that comes from the caller's credential.
func (a answers) box() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(a.secret), nil, "svc kept answer "+a.key, 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of a kept answer: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("preparing the key of a kept answer: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// ForgetAnswers deletes the answers that are past their time.
func ForgetAnswers(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, `DELETE FROM idempotency WHERE created_at < now() - $1::interval`, keepAnswers); err != nil {
		return fmt.Errorf("forgetting old answers: %w", err)
	}
	return nil
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
