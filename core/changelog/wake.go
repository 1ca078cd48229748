package changelog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	notifyChannel = "svc_changes"
	// notifyBytes keeps a payload below the 8000 bytes of PostgreSQL.
	notifyBytes = 7000
)

// Listen implements publish.Peers: commits of this core, and notifications of others.
func (s *Source) Listen(ctx context.Context, changed func(log string, here bool)) error {
	defer s.commits.listen(func(log string) { changed(log, true) })()
	return s.keep(ctx, "listen to other cores", func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "LISTEN "+notifyChannel); err != nil {
			return err
		}
		for {
			n, err := s.notification(ctx, conn)
			if err != nil {
				return err
			}
			if n == "" {
				continue
			}
			for log := range strings.SplitSeq(n, " ") {
				changed(log, false)
			}
		}
	})
}

// notification waits for one, and asks the connection for a sign of life where none comes for a while.
func (s *Source) notification(ctx context.Context, conn *pgx.Conn) (string, error) {
	wait, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	n, err := conn.WaitForNotification(wait)
	if err == nil {
		return n.Payload, nil
	}
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	ping, cancelPing := context.WithTimeout(ctx, dedicatedTimeout)
	defer cancelPing()
	return "", conn.Ping(ping)
}

// Notify implements publish.Peers.
func (s *Source) Notify(ctx context.Context, logs []string) error {
	for len(logs) > 0 {
		n, size := 0, 0
		for n < len(logs) && (n == 0 || size+len(logs[n]) < notifyBytes) {
			size += len(logs[n]) + 1
			n++
		}
		if _, err := s.pool.Exec(ctx, "SELECT pg_notify($1, $2)", notifyChannel, strings.Join(logs[:n], " ")); err != nil {
			return fmt.Errorf("telling other cores of changes: %w", err)
		}
		logs = logs[n:]
	}
	return nil
}
