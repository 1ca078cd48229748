package changelog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
)

var (
	_ snapshot.Source   = (*Source)(nil)
	_ snapshot.Schedule = (*Source)(nil)
)

// View implements snapshot.Source in one REPEATABLE READ transaction.
func (s *Source) View(ctx context.Context, log string, do func(snapshot.View) error) error {
	return postgres.ReadTx(ctx, s.pool, func(tx pgx.Tx) error {
		// Parts go to the object store while the transaction waits; that may take longer than a request ever should.
		if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = '15min'`); err != nil {
			return fmt.Errorf("opening a view of log %s: %w", log, err)
		}
		v, err := openView(ctx, tx, log)
		if err != nil {
			return err
		}
		return do(v)
	})
}

// Recorded implements snapshot.Source.
func (s *Source) Recorded(ctx context.Context, log string, n int) ([]snapshot.Ref, error) {
	return recorded(ctx, s.pool, log, n)
}

func recorded(ctx context.Context, q postgres.Querier, log string, n int) ([]snapshot.Ref, error) {
	rows, err := q.Query(ctx, `SELECT epoch, seq, chain, object, sha256, size FROM snapshot
		WHERE log = $1 ORDER BY epoch DESC, seq DESC LIMIT $2`, log, n)
	if err != nil {
		return nil, fmt.Errorf("reading the snapshots of log %s: %w", log, err)
	}
	refs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (snapshot.Ref, error) {
		r := snapshot.Ref{Log: log, Manifest: &recordpb.Part{}}
		var chain []byte
		err := row.Scan(&r.Position.Epoch, &r.Position.Seq, &chain, &r.Manifest.Key, &r.Manifest.Sha256, &r.Manifest.Size)
		copy(r.Position.Chain[:], chain)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the snapshots of log %s: %w", log, err)
	}
	return refs, nil
}

// AddSegment implements snapshot.Source.
func (s *Source) AddSegment(ctx context.Context, log string, part *recordpb.Part) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO snapshot_segment AS s (log, first_release, last_release, object, sha256, size)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (log, first_release) DO UPDATE SET size = excluded.size WHERE s.object = excluded.object`,
		log, part.FirstRelease, part.LastRelease, part.Key, part.Sha256, part.Size)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("another writer recorded another one")
	}
	if err != nil {
		return fmt.Errorf("recording a segment of log %s: %w", log, err)
	}
	return nil
}

func segments(ctx context.Context, q postgres.Querier, log string) ([]*recordpb.Part, error) {
	rows, err := q.Query(ctx, `SELECT first_release, last_release, object, sha256, size FROM snapshot_segment
		WHERE log = $1 ORDER BY first_release`, log)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*recordpb.Part, error) {
		p := &recordpb.Part{}
		return p, row.Scan(&p.FirstRelease, &p.LastRelease, &p.Key, &p.Sha256, &p.Size)
	})
}

// Forget implements snapshot.Source.
func (s *Source) Forget(ctx context.Context, log string) error {
	_, err := s.pool.Exec(ctx, `WITH forgotten AS (DELETE FROM snapshot WHERE log = $1) DELETE FROM snapshot_segment WHERE log = $1`, log)
	if err != nil {
		return fmt.Errorf("forgetting the snapshots of log %s: %w", log, err)
	}
	s.log.Warn("the snapshots of a log are forgotten; the next one is written from nothing", "log", log)
	return nil
}

// Advisory locks of two numbers, the second a hash of the log: pointerLocks while the newest snapshot changes,
// keeperLocks while one is written.
const (
	pointerLocks int32 = 0x737664
	keeperLocks  int32 = 0x737665
)

// publishPatience bounds the write of a small object while a transaction holds a lock for it.
const publishPatience = time.Minute

// Advance implements snapshot.Source. It locks no row that anything but snapshots uses.
func (s *Source) Advance(ctx context.Context, ref snapshot.Ref, publish func(context.Context) error) (moved bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, publishPatience)
	defer cancel()
	err = postgres.InTx(ctx, s.pool, func(tx pgx.Tx) error {
		moved = false
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, pointerLocks, ref.Log); err != nil {
			return err
		}
		newest, err := recorded(ctx, tx, ref.Log, 1)
		if err != nil || len(newest) > 0 && !snapshot.Before(newest[0].Position, ref.Position) {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO snapshot (log, epoch, seq, chain, object, sha256, size) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			ref.Log, ref.Position.Epoch, ref.Position.Seq, ref.Position.Chain[:], ref.Manifest.Key, ref.Manifest.Sha256, ref.Manifest.Size)
		if err != nil {
			return err
		}
		moved = true
		return publish(ctx)
	})
	if err != nil {
		return false, fmt.Errorf("recording a snapshot of log %s: %w", ref.Log, err)
	}
	return moved, nil
}
