package api

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// keepAnswers is how long an answer is kept for its Idempotency-Key.
const keepAnswers = 24 * time.Hour

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

// release makes the key free again, unless the request took effect.
func (a answers) release(ctx context.Context) error {
	_, err := a.pool.Exec(ctx, `DELETE FROM idempotency WHERE actor_id = $1 AND key = $2 AND created_at = $3 AND NOT took_effect`, a.actor, a.key, a.claimed)
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
