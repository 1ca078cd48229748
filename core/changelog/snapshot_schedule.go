package changelog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/replication/snapshot"
)

// Due implements snapshot.Schedule.
func (s *Source) Due(ctx context.Context, p snapshot.Policy, n int) ([]string, error) {
	rows, err := s.pool.Query(ctx, `
		WITH behind AS (
			SELECT h.log, h.seq - coalesce(s.seq, 0) AS changes, coalesce(s.seq, 0) AS seq, coalesce(s.epoch, h.epoch) < h.epoch AS reborn
			FROM log_head h LEFT JOIN LATERAL (
				SELECT epoch, seq FROM snapshot WHERE log = h.log ORDER BY epoch DESC, seq DESC LIMIT 1) s ON true
			WHERE h.seq <> coalesce(s.seq, 0) OR h.epoch <> coalesce(s.epoch, h.epoch))
		SELECT log FROM behind b
		WHERE changes >= $1 OR reborn
			OR (SELECT min(created_at) FROM change c WHERE c.log = b.log AND c.seq > b.seq) < now() - $3::interval
			OR (SELECT sum(r.item_count) FROM change c JOIN release r ON r.project_id = c.log AND r.number = c.ref
				WHERE c.log = b.log AND c.seq > b.seq AND c.kind = 'release') >= $2
		ORDER BY reborn DESC, changes DESC, log LIMIT $4`, p.Changes, p.Items, p.Age, n)
	if err != nil {
		return nil, fmt.Errorf("looking for logs that want a snapshot: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for logs that want a snapshot: %w", err)
	}
	return due, nil
}

// Exclusive implements snapshot.Schedule with an advisory lock on a connection that does nothing else. Where that
// connection breaks, do goes on: two writers of snapshots are a waste and no harm.
func (s *Source) Exclusive(ctx context.Context, log string, do func(context.Context) error) (mine bool, err error) {
	err = s.session(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		asking, cancel := context.WithTimeout(ctx, dedicatedTimeout)
		err := conn.QueryRow(asking, `SELECT pg_try_advisory_lock($1, hashtext($2))`, keeperLocks, log).Scan(&mine)
		cancel()
		if err != nil {
			return fmt.Errorf("locking the snapshots of log %s: %w", log, err)
		}
		if !mine {
			return nil
		}
		return do(ctx)
	})
	return mine, err
}

// pruneBatch keeps each deletion short.
const pruneBatch = 5000

// Prune implements snapshot.Schedule. It deletes from the oldest change on, so what is left has no hole.
func (s *Source) Prune(ctx context.Context, log string, through, keep uint64) (pruned int64, err error) {
	for {
		var n int64
		err := s.pool.QueryRow(ctx, `
			WITH doomed AS (
				SELECT c.seq FROM change c JOIN log_head h USING (log)
				WHERE c.log = $1 AND c.seq <= $2 AND c.seq + $3 <= h.seq ORDER BY c.seq LIMIT $4),
			gone AS (DELETE FROM change c USING doomed d WHERE c.log = $1 AND c.seq = d.seq RETURNING c.seq)
			SELECT count(*) FROM gone`, log, through, keep, pruneBatch).Scan(&n)
		if err != nil {
			return pruned, fmt.Errorf("pruning log %s: %w", log, err)
		}
		if pruned += n; n < pruneBatch {
			return pruned, nil
		}
	}
}
