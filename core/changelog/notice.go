package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/replication/publish"
	"svc/replication/record"
)

// Seen implements publish.History.
func (s *Source) Seen() map[string]publish.Seen { return s.memory.all() }

// Doubted implements publish.History.
func (s *Source) Doubted() bool { return s.memory.doubted.Swap(false) }

// Notice implements publish.History. It looks at logs that moved lately, the first time at all that a memory takes, and
// goes back a little behind what it saw before: a change is timed before it is committed.
func (s *Source) Notice(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, `SELECT h.log, h.epoch, h.seq, h.chain, coalesce(r.number, 0),
			coalesce(r.published_at, 'epoch'), clock_timestamp()
		FROM log_head h LEFT JOIN release_head r ON r.project_id = h.log
		WHERE h.updated_at >= $1 ORDER BY h.updated_at DESC LIMIT $2`, sinceOrEver(s.noticed), rememberedLogs)
	if err != nil {
		return fmt.Errorf("looking what was committed: %w", err)
	}
	var log string
	var at record.Position
	var chain []byte
	var given record.Stamp
	var now time.Time
	_, err = pgx.ForEachRow(rows, []any{&log, &at.Epoch, &at.Seq, &chain, &given.Number, &given.Time, &now}, func() error {
		copy(at.Chain[:], chain)
		if given.Number == 0 {
			given.Time = time.Time{}
		}
		s.memory.note(log, publish.Seen{At: at, Given: record.Stamp{Number: given.Number, Time: given.Time.UTC()}})
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking what was committed: %w", err)
	}
	if !now.IsZero() {
		s.noticed = now.Add(-beatBack)
	}
	return nil
}
