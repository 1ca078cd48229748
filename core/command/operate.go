package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core"
	"svc/core/changelog"
	"svc/core/postgres"
	"svc/replication/stream"
	"svc/shared/blob"
)

// operation is what commands that look at a deployment, or do one thing to it, work with.
type operation struct {
	cfg    core.Config
	logger *slog.Logger
	pool   *pgxpool.Pool
	source *changelog.Source
	blobs  *blob.S3
}

// operate opens the database and the object store. It migrates nothing: cores of an older build may be running.
func operate(ctx context.Context, cfg core.Config, logger *slog.Logger) (*operation, error) {
	pool, err := postgres.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	o := &operation{cfg: cfg, logger: logger, pool: pool, source: changelog.NewSource(pool, nil, logger)}
	have, known, err := postgres.Versions(ctx, pool)
	if err == nil && have != known {
		err = fmt.Errorf("the database is at version %d and this build knows version %d; use the build of the cores that run", have, known)
	}
	if err == nil {
		o.blobs, err = blob.OpenS3(cfg.Blob)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

func (o *operation) close() {
	if o.blobs != nil {
		o.blobs.Close()
	}
	o.pool.Close()
}

// find returns the logs that were named, by id or by slug; every name has to be one.
func (o *operation) find(ctx context.Context, names []string) ([]changelog.Overview, error) {
	const page = 1000
	var all []changelog.Overview
	for after := ""; ; {
		some, err := changelog.Overviews(ctx, o.pool, names, after, page)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < page {
			break
		}
		after = some[len(some)-1].Log
	}
	known := map[string]bool{}
	for _, v := range all {
		known[v.Log], known[v.Slug] = true, true
	}
	var missing []error
	for _, name := range names {
		if !known[name] {
			missing = append(missing, fmt.Errorf("there is no log %q; it must be the id or the slug of a project or an organization", name))
		}
	}
	return all, errors.Join(missing...)
}

// streamWait is how long a command waits for NATS.
const streamWait = 10 * time.Second

// withoutSecrets returns the hosts of NATS addresses, which may hold passwords and tokens.
func withoutSecrets(addresses string) string {
	var hosts []string
	for one := range strings.SplitSeq(addresses, ",") {
		one = one[strings.LastIndex(one, "@")+1:]
		hosts = append(hosts, one[strings.LastIndex(one, "/")+1:])
	}
	return strings.Join(hosts, ", ")
}

// connected waits until NATS is reached.
func connected(ctx context.Context, conn *stream.Conn, address string) error {
	ctx, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()
	for !conn.Connected() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for NATS at %s: %w", withoutSecrets(address), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
