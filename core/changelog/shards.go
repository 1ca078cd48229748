package changelog

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/replication/publish"
)

// Advisory locks of two numbers: the first is this, the second 0 for being there and n+1 for shard n.
const shardLocks int32 = 0x737663

const shareOut = 2 * time.Second

// Hold implements publish.Peers with advisory locks of one session. Every core takes its fair part; what a dead one
// held is free as soon as PostgreSQL has seen its session end.
func (s *Source) Hold(ctx context.Context, held func(publish.Shards)) error {
	return s.keep(ctx, "hold shards of the relay", func(ctx context.Context, conn *pgx.Conn) error {
		defer held(0)
		h := holder{conn: conn}
		if err := h.exec(ctx, "SELECT pg_advisory_lock_shared($1, 0)", shardLocks); err != nil {
			return err
		}
		for {
			before := h.shards
			if err := h.balance(ctx); err != nil {
				return err
			}
			if h.shards != before {
				held(h.shards)
			}
			timer := time.NewTimer(shareOut - shareOut/4 + rand.N(shareOut/2))
			select {
			case <-ctx.Done():
				timer.Stop()
				return ctx.Err()
			case <-timer.C:
			}
		}
	})
}

// holder is a session and the shards it has locked.
type holder struct {
	conn   *pgx.Conn
	shards publish.Shards
	count  int
}

func (h *holder) exec(ctx context.Context, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, dedicatedTimeout)
	defer cancel()
	_, err := h.conn.Exec(ctx, sql, args...)
	return err
}

func (h *holder) ask(ctx context.Context, to any, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, dedicatedTimeout)
	defer cancel()
	return h.conn.QueryRow(ctx, sql, args...).Scan(to)
}

// balance takes or gives back shards until this core has its part.
func (h *holder) balance(ctx context.Context) error {
	var cores int
	err := h.ask(ctx, &cores, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid::bigint = $1 AND objid = 0`, int64(shardLocks))
	if err != nil {
		return err
	}
	fair := (publish.ShardCount + max(cores, 1) - 1) / max(cores, 1)
	for _, shard := range rand.Perm(publish.ShardCount) {
		switch {
		case h.shards.Has(shard) && h.count > fair:
			err = h.release(ctx, shard)
		case !h.shards.Has(shard) && h.count < fair:
			err = h.take(ctx, shard)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *holder) take(ctx context.Context, shard int) error {
	var got bool
	if err := h.ask(ctx, &got, "SELECT pg_try_advisory_lock($1, $2)", shardLocks, int32(shard+1)); err != nil || !got {
		return err
	}
	h.shards, h.count = h.shards.With(shard), h.count+1
	return nil
}

func (h *holder) release(ctx context.Context, shard int) error {
	if err := h.exec(ctx, "SELECT pg_advisory_unlock($1, $2)", shardLocks, int32(shard+1)); err != nil {
		return err
	}
	h.shards, h.count = h.shards.Without(shard), h.count-1
	return nil
}
