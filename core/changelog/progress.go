package changelog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// lately is how far back unsent changes are looked for; older ones show when heads are compared with the stream.
const lately = time.Minute

// Unsent implements publish.Source.
func (s *Source) Unsent(ctx context.Context, age time.Duration) ([]string, error) {
	rows, err := s.pool.Query(ctx, `SELECT h.log FROM log_head h LEFT JOIN relay_progress p USING (log)
		WHERE h.updated_at > now() - $1::interval AND h.updated_at <= now() - $2::interval AND h.seq > coalesce(p.seq, 0)`, lately, age)
	if err != nil {
		return nil, fmt.Errorf("looking for unsent changes: %w", err)
	}
	unsent, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for unsent changes: %w", err)
	}
	return unsent, nil
}

// Sent implements publish.Source. Logs are written in one order, so two cores never wait for each other.
func (s *Source) Sent(ctx context.Context, sent map[string]uint64) error {
	logs := slices.Sorted(maps.Keys(sent))
	seqs := make([]int64, len(logs))
	for i, log := range logs {
		seqs[i] = int64(sent[log])
	}
	_, err := s.pool.Exec(ctx, `INSERT INTO relay_progress (log, seq)
		SELECT u.log, u.seq FROM unnest($1::text[], $2::bigint[]) u (log, seq) JOIN log_head USING (log) ORDER BY u.log
		ON CONFLICT (log) DO UPDATE SET seq = excluded.seq WHERE relay_progress.seq < excluded.seq`, logs, seqs)
	if err != nil {
		return fmt.Errorf("recording what was sent: %w", err)
	}
	return nil
}
