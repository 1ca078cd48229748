package api

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/shared/fault"
)

// mark records, in the request's own transaction, that it took effect. It comes first: from here to the end of the transaction
// nobody can take the key over, and if somebody did before, the transaction fails.
func (a answers) mark(ctx context.Context, tx pgx.Tx) error {
	tag, err := tx.Exec(ctx, `UPDATE idempotency SET took_effect = true
		WHERE actor_id = $1 AND key = $2 AND created_at = $3 AND status IS NULL`, a.actor, a.key, a.claimed)
	if err != nil {
		return fmt.Errorf("marking an idempotency key: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "this request was silent for so long that a later one with its " + idempotencyHeader + " runs instead; send it again with the same key",
		}
	}
	return nil
}

// stayAlive renews the lease of a running request until the returned function is called. While its transaction holds the
// row, the lock stands for the lease. A silence that is longer than the lease costs work, since another request may take
// over then; the effect never happens twice.
func (a answers) stayAlive(ctx context.Context) (end func()) {
	ctx = context.WithoutCancel(ctx)
	over := make(chan struct{})
	go func() {
		tick := time.NewTicker(renewal)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				a.renew(ctx)
			}
		}
	}()
	return sync.OnceFunc(func() { close(over) })
}

// renew renews the lease once. A failure is ignored: the next renewal comes soon.
func (a answers) renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	_, _ = a.pool.Exec(ctx, `WITH mine AS (
			SELECT actor_id, key FROM idempotency WHERE actor_id = $1 AND key = $2 AND created_at = $3 FOR UPDATE SKIP LOCKED)
		UPDATE idempotency i SET seen_at = clock_timestamp() FROM mine
		WHERE i.actor_id = mine.actor_id AND i.key = mine.key AND i.created_at = $3`, a.actor, a.key, a.claimed)
}
