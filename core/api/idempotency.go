package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/shared/fault"
)

// keepAnswers is how long an answer is kept for its Idempotency-Key.
const keepAnswers = 24 * time.Hour

// stored is an answer as it was sent the first time.
type stored struct {
	contentType string
	body        []byte
}

// once runs a mutating call; with an Idempotency-Key it runs at most once in 24 hours, and the same request gets the
// first answer again. Failures are not kept: they changed nothing, and the caller may try again.
func (c *call) once(run func() (reply, error)) (reply, error) {
	key := c.gin.GetHeader("Idempotency-Key")
	if key == "" {
		return run()
	}
	if len(key) > 255 {
		return reply{}, fault.Invalid("Idempotency-Key", "must be at most 255 characters")
	}
	if c.route.limit == streamLimit && c.requireType("application/json") != nil {
		return reply{}, fault.Invalid("Idempotency-Key", "cannot be used with a streamed import, which skips identical rows anyway")
	}
	hash, err := c.fingerprint()
	if err != nil {
		return reply{}, err
	}
	first, err := c.claim(key, hash)
	if err != nil || first != nil {
		return deref(first), err
	}
	answer, err := run()
	// The outcome is noted even where the caller has gone away meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx()), 5*time.Second)
	defer cancel()
	if err != nil {
		return reply{}, errors.Join(err, c.release(ctx, key))
	}
	return c.keep(ctx, key, answer)
}

func (c *call) fingerprint() ([]byte, error) {
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n", c.route.method, c.gin.Request.URL.RequestURI(), len(body))
	h.Write(body)
	return h.Sum(nil), nil
}

// claim takes the key for this request, or returns the answer that it has already.
func (c *call) claim(key string, hash []byte) (*reply, error) {
	ctx, pool := c.ctx(), c.server.Pool
	tag, err := pool.Exec(ctx, `
		INSERT INTO idempotency AS i (actor_id, key, request_hash) VALUES ($1, $2, $3)
		ON CONFLICT (actor_id, key) DO UPDATE
		SET request_hash = excluded.request_hash, status = NULL, content_type = NULL, body = NULL, created_at = now()
		WHERE i.created_at < now() - $4::interval`, c.actor.ID, key, hash, keepAnswers)
	if err != nil {
		return nil, fmt.Errorf("claiming an idempotency key: %w", err)
	}
	if tag.RowsAffected() == 1 {
		return nil, nil
	}
	var was []byte
	var status *int
	var contentType *string
	var body []byte
	err = pool.QueryRow(ctx, `SELECT request_hash, status, content_type, body FROM idempotency WHERE actor_id = $1 AND key = $2`,
		c.actor.ID, key).Scan(&was, &status, &contentType, &body)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // released between the two statements
		return nil, fault.New(fault.Conflict, "another request with this Idempotency-Key has just failed; send this one again")
	case err != nil:
		return nil, fmt.Errorf("reading an idempotency key: %w", err)
	case !bytes.Equal(was, hash):
		return nil, fault.New(fault.Conflict, "this Idempotency-Key was used for another request; use a new key")
	case status == nil:
		return nil, fault.New(fault.Conflict, "the first request with this Idempotency-Key has not finished; see whether it took effect before you send it with a new key")
	}
	return &reply{status: *status, body: stored{deref(contentType), body}}, nil
}

func (c *call) keep(ctx context.Context, key string, answer reply) (reply, error) {
	kept := stored{contentType: "application/json"}
	if answer.body != nil {
		body, err := json.Marshal(answer.body)
		if err != nil {
			return reply{}, fmt.Errorf("encoding an answer: %w", err)
		}
		kept.body = body
	}
	status := answer.status
	if status == 0 {
		status = http.StatusOK
	}
	_, err := c.server.Pool.Exec(ctx, `UPDATE idempotency SET status = $3, content_type = $4, body = $5 WHERE actor_id = $1 AND key = $2`,
		c.actor.ID, key, status, kept.contentType, kept.body)
	if err != nil {
		return reply{}, fmt.Errorf("keeping an answer for its idempotency key: %w", err)
	}
	if answer.body == nil {
		return answer, nil
	}
	return reply{status: status, body: kept}, nil
}

func (c *call) release(ctx context.Context, key string) error {
	if _, err := c.server.Pool.Exec(ctx, `DELETE FROM idempotency WHERE actor_id = $1 AND key = $2`, c.actor.ID, key); err != nil {
		return fmt.Errorf("releasing an idempotency key: %w", err)
	}
	return nil
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
