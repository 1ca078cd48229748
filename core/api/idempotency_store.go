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

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/shared/fault"
)

// keepAnswers is how long an answer is kept for its Idempotency-Key.
const keepAnswers = 24 * time.Hour

// answers is the row of one key of one actor. Answers are encrypted with what only the caller knows, since some of them carry
// a secret that is shown once and otherwise stored as a hash alone.
type answers struct {
	pool   *pgxpool.Pool
	actor  string
	key    string
	hash   []byte    // of the request
	claim  uuid.UUID // of this attempt, so that its second transaction knows the row of its first
	secret string    // the caller's credential
}

var (
	errKeyUsed    = errors.New("another request with this key took effect")
	errUnanswered = fault.New(fault.Conflict, "the first request with this %s took effect, but its answer is not stored: it is still being "+
		"made, or was lost when core stopped; read what the request changed instead of sending it with a new key", idempotencyHeader)
)

// insert makes the row in the request's own transaction. It waits for a transaction that has inserted the same key.
func (a answers) insert(ctx context.Context, tx pgx.Tx) error {
	return a.write(ctx, tx, nil, nil)
}

// store stores the answer for later requests with the key.
func (a answers) store(ctx context.Context, answer reply) error {
	var sealed []byte
	if body, ok := answer.body.(kept); ok {
		box, err := a.box()
		if err != nil {
			return err
		}
		sealed = box.Seal(nil, nil, body, nil)
	}
	return a.write(ctx, a.pool, &answer.status, sealed)
}

// write makes the row, or changes it where it is this attempt's or has expired; errKeyUsed where it is another request's.
func (a answers) write(ctx context.Context, db interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, status *int, body []byte) error {
	tag, err := db.Exec(ctx, `INSERT INTO idempotency AS i (actor_id, key, request_hash, claim, status, body, took_effect)
		VALUES ($1, $2, $3, $4, $5, $6, true)
		ON CONFLICT (actor_id, key) DO UPDATE SET request_hash = excluded.request_hash, claim = excluded.claim, status = excluded.status,
			body = excluded.body, took_effect = true, seen_at = NULL, created_at = excluded.created_at
		WHERE i.claim = excluded.claim OR i.created_at < now() - $7::interval`, a.actor, a.key, a.hash, a.claim, status, body, keepAnswers)
	switch {
	case err != nil:
		return fmt.Errorf("writing an idempotency key: %w", err)
	case tag.RowsAffected() == 0:
		return errKeyUsed
	}
	return nil
}

// await returns the answer that is stored for the key, nil without one. It waits for the answer of a request that took effect
// and is not answered yet; errUnanswered if that takes too long.
func (a answers) await(ctx context.Context, patience time.Duration) (*reply, error) {
	end := time.Now().Add(patience)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		first, err := a.find(ctx)
		if !errors.Is(err, errUnanswered) || time.Now().After(end) {
			return first, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// find returns the stored answer, nil without one; errUnanswered for a request that took effect and has no answer yet.
func (a answers) find(ctx context.Context) (*reply, error) {
	var hash, sealed []byte
	var status *int
	err := a.pool.QueryRow(ctx, `SELECT request_hash, status, body FROM idempotency
		WHERE actor_id = $1 AND key = $2 AND created_at >= now() - $3::interval`, a.actor, a.key, keepAnswers).Scan(&hash, &status, &sealed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading an idempotency key: %w", err)
	case !bytes.Equal(hash, a.hash):
		return nil, fault.New(fault.Conflict, "this %s was used for another request; use a new key", idempotencyHeader)
	case status == nil || *status == 0: // 0 is of an earlier version
		return nil, errUnanswered
	case sealed == nil:
		return &reply{status: *status}, nil
	}
	body, err := a.open(sealed)
	return &reply{status: *status, body: kept(body)}, err
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
