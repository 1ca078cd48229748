package changelog

import (
	"context"
	"fmt"

	"svc/core/postgres"
)

// incarnationSQL names the database as it runs now. Each start of the server gives another name, and so does a database
// or a table that was made anew: nothing else takes a database back to a backup.
const incarnationSQL = `concat_ws('.', (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
	(SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('release_head'))`

// CheckedSQL is a condition that a publish checks in its own transaction: nothing was ever to be compared, or the
// database as it runs now was.
const CheckedSQL = `NOT EXISTS (SELECT FROM history_check WHERE incarnation <> ` + incarnationSQL + `)`

// Arm has releases wait, from the next start of the database on, until its logs were compared with what others saw of
// them. Before that a database may be used without anybody who compares.
func Arm(ctx context.Context, q postgres.Querier) error {
	if _, err := q.Exec(ctx, `INSERT INTO history_check (incarnation) VALUES ('') ON CONFLICT DO NOTHING`); err != nil {
		return fmt.Errorf("having releases wait for a comparison: %w", err)
	}
	return nil
}

// Incarnation implements publish.History.
func (s *Source) Incarnation(ctx context.Context) (name string, checked bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT i, EXISTS (SELECT FROM history_check WHERE incarnation = i) FROM (SELECT `+
		incarnationSQL+` AS i) now`).Scan(&name, &checked)
	if err != nil {
		return "", false, fmt.Errorf("looking which incarnation of the database this is: %w", err)
	}
	return name, checked, nil
}

// Vouch implements publish.History.
func (s *Source) Vouch(ctx context.Context, incarnation string) (bool, error) {
	tag, err := s.pool.Exec(ctx, `INSERT INTO history_check (incarnation) SELECT $1 WHERE $1 = `+incarnationSQL+`
		ON CONFLICT (one) DO UPDATE SET incarnation = excluded.incarnation, checked_at = now()`, incarnation)
	if err != nil {
		return false, fmt.Errorf("recording that the database was compared: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// doubt has all logs compared again, where the database went back though its name stayed the same.
func (s *Source) doubt(ctx context.Context) error {
	s.memory.doubted.Store(true)
	if _, err := s.pool.Exec(ctx, `UPDATE history_check SET incarnation = ''`); err != nil {
		return fmt.Errorf("having the database compared again: %w", err)
	}
	return nil
}
