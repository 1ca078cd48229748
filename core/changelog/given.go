package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/replication/record"
)

const givenSQL = `SELECT project_id, number, published_at FROM release_head WHERE project_id = ANY($1) AND number > 0`

// Given implements publish.History.
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
