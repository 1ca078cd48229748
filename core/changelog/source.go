package changelog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Source is what the relay reads: it implements publish.Source and publish.Clock.
type Source struct {
	pool    *pgxpool.Pool
	commits *Commits
	log     *slog.Logger
	settled time.Time // when a heartbeat could tell last; used by one
}

// NewSource returns the source of a database. Commits are those of this core; nil where it commits nothing.
func NewSource(pool *pgxpool.Pool, commits *Commits, log *slog.Logger) *Source {
	if commits == nil {
		commits = NewCommits()
	}
	return &Source{pool: pool, commits: commits, log: log}
}

// Listen implements publish.Source.
func (s *Source) Listen(changed func(log string)) (stop func()) { return s.commits.listen(changed) }

// dedicatedTimeout bounds each statement on a connection of its own.
const dedicatedTimeout = 3 * time.Second

// session runs do on a connection of its own, outside the pool. What it holds, such as advisory locks, is gone when do returns.
func (s *Source) session(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	dial, cancel := context.WithTimeout(ctx, dedicatedTimeout)
	conn, err := pgx.ConnectConfig(dial, s.pool.Config().ConnConfig)
	cancel()
	if err != nil {
		return fmt.Errorf("connecting to the database: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), dedicatedTimeout)
		defer cancel()
		if err := conn.Close(closing); err != nil {
			s.log.Debug("closing a database session", "error", err)
		}
	}()
	return do(ctx, conn)
}
