package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/record"
)

// Overview is what the database knows of a log, for operators.
type Overview struct {
	Log     string
	Slug    string // of its project or organization
	Deleted bool
	Head    record.Position
	Changed time.Time // when the head moved last
	// Release is the number of the project's newest release; 0 before the first, and of an organization.
	Release uint64
	// Reserved is the number behind which the next release comes. It is greater than Release where numbers were left out.
	Reserved uint64
	// Oldest is the first change that is still there: edges behind it need a snapshot. 0 where there is none.
	Oldest uint64
	// Snapshot is where the newest snapshot is, and when it was written; zero where there is none.
	Snapshot   record.Position
	SnapshotAt time.Time
}

// Overviews tells of up to limit logs with ids greater than after, by id. Only names some by id, or by the slug of a
// project or an organization; none are all.
func Overviews(ctx context.Context, q postgres.Querier, only []string, after string, limit int) ([]Overview, error) {
	rows, err := q.Query(ctx, `
		SELECT h.log, coalesce(p.slug, o.slug, ''), coalesce(p.deleted_at, o.deleted_at) IS NOT NULL,
			h.epoch, h.seq, h.chain, h.updated_at, coalesce((SELECT max(number) FROM release WHERE project_id = h.log), 0), coalesce(r.number, 0),
			coalesce((SELECT min(seq) FROM change c WHERE c.log = h.log), 0),
			coalesce(s.epoch, 0), coalesce(s.seq, 0), s.chain, coalesce(s.created_at, 'epoch')
		FROM log_head h
			LEFT JOIN project p ON p.id = h.log LEFT JOIN organization o ON o.id = h.log
			LEFT JOIN release_head r ON r.project_id = h.log
			LEFT JOIN LATERAL (SELECT epoch, seq, chain, created_at FROM snapshot WHERE log = h.log
				ORDER BY epoch DESC, seq DESC LIMIT 1) s ON true
		WHERE h.log > $1 AND (cardinality($2::text[]) = 0 OR h.log = ANY ($2) OR p.slug = ANY ($2) OR o.slug = ANY ($2))
		ORDER BY h.log LIMIT $3`, after, append([]string{}, only...), limit)
	if err != nil {
		return nil, fmt.Errorf("reading an overview of logs: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (v Overview, err error) {
		var chain, snapshotChain []byte
		err = row.Scan(&v.Log, &v.Slug, &v.Deleted, &v.Head.Epoch, &v.Head.Seq, &chain, &v.Changed, &v.Release, &v.Reserved, &v.Oldest,
			&v.Snapshot.Epoch, &v.Snapshot.Seq, &snapshotChain, &v.SnapshotAt)
		copy(v.Head.Chain[:], chain)
		copy(v.Snapshot.Chain[:], snapshotChain)
		v.Changed = v.Changed.UTC()
		if v.SnapshotAt = v.SnapshotAt.UTC(); v.Snapshot.Epoch == 0 {
			v.SnapshotAt = time.Time{}
		}
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading an overview of logs: %w", err)
	}
	return all, nil
}
