package rewind

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/changelog"
	"svc/replication/record"
)

// Behind reports whether this core saw a greater number or a later time given than the database, which the transaction
// holds, has given last: then the database went back, and its logs are compared with what this core saw soon.
func Behind(tx pgx.Tx, project string, last record.Stamp) bool {
	c := changelog.CommitsIn(tx)
	if c == nil || last.Join(c.Of(project).Given) == last {
		return false
	}
	c.Behind.Store(true)
	return true
}

// noticeBack is how long a change may take from its time to its commit.
const noticeBack = 10 * time.Second

// notice reads what was committed lately by any core, the first time as much as Commits takes. It goes back a little behind
// what it saw before: a change is timed before it is committed.
func (g *Guard) notice(ctx context.Context) error {
	rows, err := g.pool.Query(ctx, `SELECT h.log, h.epoch, h.seq, h.chain, coalesce(r.number, 0),
			coalesce(r.published_at, 'epoch'), clock_timestamp()
		FROM log_head h LEFT JOIN release_head r ON r.project_id = h.log
		WHERE h.updated_at >= $1 ORDER BY h.updated_at DESC LIMIT $2`, g.noticed, changelog.RememberedLogs)
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
		g.commits.Note(log, changelog.Seen{At: at, Given: record.Stamp{Number: given.Number, Time: given.Time.UTC()}})
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking what was committed: %w", err)
	}
	if !now.IsZero() {
		g.noticed = now.Add(-noticeBack)
	}
	return nil
}

// compareSeen raises every log that is behind what this core saw committed. It needs no stream.
func (g *Guard) compareSeen(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	seen := g.commits.All() // before the heads: what is committed meanwhile is no loss
	if len(seen) == 0 {
		return nil
	}
	return g.with.heads(ctx, func(h record.Head, given record.Stamp) error {
		s, ok := seen[h.Log]
		if !ok {
			return nil
		}
		const by = "this core"
		loss := Loss{Log: h.Log, Head: h.Position}
		if project(h.Log) && given.Join(s.Given) != given {
			loss.Seen, loss.By, loss.Lost.Release = s.At, []string{by}, s.Given
		}
		if s.At.Seq > 0 {
			if err := g.with.test(ctx, &loss, Claim{h.Log, by, s.At, &s.Given}); err != nil {
				return err
			}
		}
		return g.wentBack(ctx, loss)
	})
}
