package changelog

import (
	"context"
	"fmt"

	"svc/core/postgres"
)

// maxEpoch bounds what an epoch can be raised above, so that no claim from outside exhausts the numbers.
const maxEpoch = 1 << 40

// NewEpoch raises a log's epoch above seen, unless it is above it already. It is called where somebody is seen to hold
// changes that the database does not have: the database went back. Numbers go on from the head as it is now, and whoever
// followed the lost changes tells by the epoch that their own, equal numbers no longer count.
func NewEpoch(ctx context.Context, q postgres.Querier, log string, seen uint64) error {
	if seen > maxEpoch {
		return fmt.Errorf("log %s: nothing counts above epoch %d", log, seen)
	}
	_, err := q.Exec(ctx, `UPDATE log_head SET epoch = $2, updated_at = clock_timestamp() WHERE log = $1 AND epoch < $2`, log, seen+1)
	if err != nil {
		return fmt.Errorf("raising the epoch of log %s: %w", log, err)
	}
	return nil
}

// NewEpoch implements publish.Source.
func (s *Source) NewEpoch(ctx context.Context, log string, seen uint64) error {
	return NewEpoch(ctx, s.pool, log, seen)
}
