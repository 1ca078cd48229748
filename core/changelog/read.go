package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/record"
)

// One reading returns at most this many changes, with at most this many items in releases together; a single release
// may have more.
const (
	readChanges = 256
	readItems   = 2000
)

// batcher is a pool, a connection or a transaction.
type batcher interface {
	postgres.Querier
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// After returns what follows a position of a log, oldest first, as much as one reading takes, and whether the log ever
// was at that position. Every change carries the epoch that the log has now. A log that does not exist is NOT_FOUND.
func After(ctx context.Context, q batcher, log string, at record.Position) (publish.Tail, error) {
	t, rows, err := readRows(ctx, q, log, at, readChanges)
	if err != nil {
		return publish.Tail{}, err
	}
	if t.Proof != publish.Proved {
		return t, nil
	}
	t.Changes, err = changes(ctx, q, log, t.Head, rows)
	return t, err
}

// row is a change as it is stored.
type row struct {
	seq                 uint64
	prev, chain, digest record.Hash
	kind                record.Kind
	ref                 int64
	body                []byte
	at                  time.Time
}

func scanRow(r pgx.CollectableRow) (c row, err error) {
	var prev, chain, digest []byte
	err = r.Scan(&c.seq, &prev, &chain, &c.kind, &digest, &c.ref, &c.body, &c.at)
	copy(c.prev[:], prev)
	copy(c.chain[:], chain)
	copy(c.digest[:], digest)
	return c, err
}

// readRows asks in one round trip for the head, for the proof of the position, and for some of what follows it.
func readRows(ctx context.Context, q batcher, log string, at record.Position, limit int) (t publish.Tail, after []row, err error) {
	var around []row
	var b pgx.Batch
	b.Queue(headSQL, log).QueryRow(func(r pgx.Row) (err error) {
		t.Head, err = scanHead(log, r)
		return err
	})
	// The row of the position itself comes first, where it still is.
	b.Queue(`SELECT seq, prev, chain, kind, digest, ref, body, created_at FROM change WHERE log = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
		log, int64(min(at.Seq, MaxSeq)), limit+1).Query(func(rows pgx.Rows) (err error) {
		around, err = pgx.CollectRows(rows, scanRow)
		return err
	})
	b.Queue(givenSQL, []string{log}).Query(func(rows pgx.Rows) error {
		given, err := scanGiven(rows, nil)
		t.Given = given[log]
		return err
	})
	if err := q.SendBatch(ctx, &b).Close(); err != nil {
		return publish.Tail{}, nil, fmt.Errorf("reading log %s after %d: %w", log, at.Seq, err)
	}
	after = around
	for len(after) > 0 && after[len(after)-1].seq > t.Head.Seq { // committed since the head was read
		after = after[:len(after)-1]
	}
	t.Proof = prove(t.Head, at, after)
	if len(after) > 0 && after[0].seq == at.Seq {
		after = after[1:]
	}
	return t, after, nil
}

// MaxSeq is the greatest sequence of a change.
const MaxSeq = 1<<63 - 1

// Prove reports whether a log ever was at a position, and where it is now.
func (s *Source) Prove(ctx context.Context, log string, at record.Position) (publish.Tail, error) {
	t, _, err := readRows(ctx, s.pool, log, at, 0)
	return t, err
}

// prove judges a position by the head and the first rows from it on.
func prove(head, at record.Position, rows []row) publish.Proof {
	known := func(ok bool) publish.Proof {
		if ok {
			return publish.Proved
		}
		return publish.Disproved
	}
	switch {
	case at.Seq > head.Seq:
		return publish.Disproved
	case at.Seq == head.Seq:
		return known(at.Chain == head.Chain)
	case len(rows) > 0 && rows[0].seq == at.Seq:
		return known(at.Chain == rows[0].chain)
	case len(rows) > 0 && rows[0].seq == at.Seq+1:
		return known(at.Chain == rows[0].prev)
	}
	return publish.Forgotten
}

// After implements publish.Source.
func (s *Source) After(ctx context.Context, log string, at record.Position) (publish.Tail, error) {
	return After(ctx, s.pool, log, at)
}

// Resume implements publish.Source. A record of what was sent can be wrong: the database may have gone back since.
func (s *Source) Resume(ctx context.Context, log string, newest bool) (publish.Tail, error) {
	var sent int64
	err := s.pool.QueryRow(ctx, `SELECT greatest(CASE WHEN $2 THEN h.seq - 1 ELSE least(coalesce(p.seq, 0), h.seq - 1) END, 0)
		FROM log_head h LEFT JOIN relay_progress p USING (log) WHERE h.log = $1`, log, newest).Scan(&sent)
	if err != nil {
		return publish.Tail{}, fmt.Errorf("reading what was sent of log %s: %w", log, err)
	}
	t, rows, err := readRows(ctx, s.pool, log, record.Position{Seq: uint64(sent)}, readChanges)
	if err != nil {
		return publish.Tail{}, err
	}
	t.Proof = publish.Proved
	t.Changes, err = changes(ctx, s.pool, log, t.Head, rows)
	return t, err
}
