package changelog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/record"
	"svc/shared/fault"
)

// Head returns where a log stands, with sequence 0 before its first change. A log that does not exist is a NOT_FOUND
// fault.
func Head(ctx context.Context, q postgres.Querier, log string) (record.Position, error) {
	return scanHead(log, q.QueryRow(ctx, headSQL, log))
}

const headSQL = `SELECT epoch, seq, chain FROM log_head WHERE log = $1`

func scanHead(log string, row pgx.Row) (record.Position, error) {
	var p record.Position
	var chain []byte
	err := row.Scan(&p.Epoch, &p.Seq, &chain)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.New(fault.NotFound, "there is no log %q", log)
	}
	if err != nil {
		return p, fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	copy(p.Chain[:], chain)
	return p, nil
}

// Heads returns where up to limit logs with ids greater than after stand, by id.
func Heads(ctx context.Context, q postgres.Querier, after string, limit int) ([]record.Head, error) {
	return heads(q.Query(ctx, `SELECT log, epoch, seq, chain FROM log_head WHERE log > $1 ORDER BY log LIMIT $2`, after, limit))
}

func heads(rows pgx.Rows, err error) ([]record.Head, error) {
	if err != nil {
		return nil, fmt.Errorf("reading the heads of logs: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h record.Head, err error) {
		var chain []byte
		err = row.Scan(&h.Log, &h.Position.Epoch, &h.Position.Seq, &chain)
		copy(h.Position.Chain[:], chain)
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the heads of logs: %w", err)
	}
	return all, nil
}

// Heads implements publish.Source.
func (s *Source) Heads(ctx context.Context, after string, limit int) ([]record.Head, error) {
	return Heads(ctx, s.pool, after, limit)
}

const givenSQL = `SELECT project_id, number, published_at FROM release_head WHERE project_id = ANY($1) AND number > 0`

// Given returns, of those of the logs that are of projects with releases, the newest number and time that a release was
// given. Releases to come are given greater ones.
func (s *Source) Given(ctx context.Context, logs []string) (map[string]record.Stamp, error) {
	return scanGiven(s.pool.Query(ctx, givenSQL, logs))
}

func scanGiven(rows pgx.Rows, err error) (map[string]record.Stamp, error) {
	given := map[string]record.Stamp{}
	var project string
	var number uint64
	var at time.Time
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&project, &number, &at}, func() error {
			given[project] = record.Stamp{Number: number, Time: at.UTC()}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading what releases were given: %w", err)
	}
	return given, nil
}
