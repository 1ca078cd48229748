// Package core assembles the management side of the service: the database, the API, the relay that brings changes to
// the stream, and the keeper of snapshots.
package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/api"
	"svc/core/changelog"
	"svc/core/fleet"
	"svc/core/metering"
	"svc/core/postgres"
	"svc/core/preview"
	"svc/core/rewind"
	"svc/core/server"
	"svc/core/wire"
	"svc/replication/publish"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/replication/usage"
	"svc/shared/blob"
	"svc/shared/credential"
	"svc/shared/lifecycle"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// Core is one core process.
type Core struct {
	cfg      Config
	logger   *slog.Logger
	pool     *pgxpool.Pool
	commits  *changelog.Commits
	stream   *stream.Conn
	source   *changelog.Source
	alarms   *telemetry.Alarms
	cores    *fleet.Cores
	audit    *fleet.Audit
	metering *metering.Collector
	listener net.Listener
	admin    net.Listener // nil where metrics are shown nowhere
	http     *server.Server
	group    lifecycle.Group
}

// New migrates the database and prepares everything to run. The caller closes it.
func New(ctx context.Context, cfg Config, logger *slog.Logger) (*Core, error) {
	if err := postgres.Migrate(ctx, cfg.DatabaseURL); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Core{cfg: cfg, logger: logger, commits: changelog.NewCommits()}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Core) open(ctx context.Context) (err error) {
	if c.pool, err = postgres.OpenWith(ctx, c.cfg.DatabaseURL, c.commits); err != nil {
		return err
	}
	if err := rewind.RequireComparison(ctx, c.pool); err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("naming this core: %w", err)
	}
	c.cfg.Stream.Name = fmt.Sprintf("core-%s-%d", name, os.Getpid())
	if c.stream, err = stream.Connect(c.cfg.Stream, c.logger); err != nil {
		return err
	}
	blobs, err := blob.OpenS3(c.cfg.Blob)
	if err != nil {
		return err
	}
	if c.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", c.cfg.Listen); err != nil {
		return fmt.Errorf("listening on SVC_CORE_LISTEN: %w", err)
	}
	if c.admin, err = telemetry.AdminListener(ctx, "SVC_CORE_ADMIN_LISTEN", c.cfg.AdminListen); err != nil {
		return err
	}
	c.assemble(blobs)
	return nil
}

// assemble adds the parts in the order in which they depend on each other; they stop in reverse.
func (c *Core) assemble(blobs blob.Store) {
	registry := telemetry.Registry()
	c.alarms = telemetry.NewAlarms(telemetry.CoreAlarms(), registry, c.logger)
	c.source = changelog.NewSource(c.pool, c.commits, c.logger)
	c.stream.Register(registry)
	registerPool(registry, c.pool)
	c.audit = fleet.NewAudit(c.pool, c.source, c.stream, c.alarms, c.logger, registry)
	c.cores = &fleet.Cores{Name: c.cfg.Stream.Name, Started: time.Now().UTC(), Pool: c.pool, Alarms: c.alarms, Unready: c.unready, Logger: c.logger}
	c.metering = &metering.Collector{Core: c.cores.Name, Started: c.cores.Started, Pool: c.pool, Stream: c.stream,
		Counters: &usage.Counters{}, Uses: &credential.Uses{}, Logger: c.logger}
	figures := publish.NewMetrics(registry)
	source := c.source
	guard := rewind.New(c.pool, c.commits, rewind.Comparison{Source: source, Stream: c.stream, Blobs: blobs, Claims: fleet.Claims(c.stream)},
		c.alarms, c.logger, registry)
	relay := &publish.Relay{Source: source, Stream: c.stream, Blobs: blobs, WentBack: guard.WentBack, Version: c.cfg.RecordVersion,
		Log: c.logger, Alarms: c.alarms, Metrics: figures}
	heart := &publish.Heartbeat{Core: c.cfg.Stream.Name, Clock: source, Stream: c.stream, Log: c.logger, Metrics: figures}
	keeper := snapshot.NewKeeper(&snapshot.Writer{Source: source, Blobs: blobs, Version: c.cfg.RecordVersion}, source,
		snapshot.KeeperConfig{Logger: c.logger, Metrics: snapshot.NewMetrics(registry), Alarms: c.alarms})
	store := preview.New(c.pool, 0)
	c.http = server.New(api.New(api.Config{
		Pool: c.pool,
		Reader: &read.Engine{Store: store, AcquireScan: store.AcquireScan, Keys: preview.Keys{Pool: c.pool}, Previews: preview.Tokens{Pool: c.pool},
			Used: c.metering.Uses.Note, Answered: c.answered, Now: c.cfg.Now, LocalOrigins: !c.cfg.Production},
		Fleet: func(ctx context.Context) ([]wire.Edge, error) { return fleet.Edges(ctx, c.stream) },
		Cores: c.cores.List,
		Internal: (&changelog.Internal{
			Pool: c.pool, Secret: c.cfg.ClusterSecret, Log: c.logger, Key: c.key, Gap: guard.After, Snapshot: keeper.Request, Version: c.cfg.RecordVersion,
		}).Handler(),
		AssetURL: c.cfg.AssetURL,
		Ready:    c.unready,
		Answers:  c.cfg.AnswerMemory,
		Requests: api.NewMetrics(registry),
		Logger:   c.logger,
	}), c.cfg.Drain, c.logger)
	c.group.Logger, c.group.StopTimeout = c.logger, c.cfg.Drain+30*time.Second
	c.group.Add("rewind", guard.Run)
	c.group.Add("relay", relay.Run)
	c.group.Add("heartbeat", heart.Run)
	c.group.Add("snapshots", keeper.Run)
	c.group.Add("audit", c.audit.Run)
	c.group.Add("housekeeping", c.housekeep)
	c.group.Add("watch", c.cores.Run)
	c.group.Add("metering", c.metering.Run)
	if c.admin != nil {
		c.group.Add("metrics", func(ctx context.Context) error { return telemetry.ServeMetrics(ctx, c.admin, registry) })
	}
	c.group.Add("http", func(ctx context.Context) error { return c.http.Serve(ctx, c.listener) })
}

// Run works until ctx ends, then stops the parts in order.
func (c *Core) Run(ctx context.Context) error {
	c.logger.Info("core is up", "address", c.listener.Addr().String())
	return c.group.Run(ctx)
}

// Address is where the API listens.
func (c *Core) Address() string { return c.listener.Addr().String() }

// Close lets go of everything that New opened.
func (c *Core) Close() error {
	var err error
	for _, l := range []net.Listener{c.listener, c.admin} {
		if l == nil {
			continue
		}
		if closed := l.Close(); !errors.Is(closed, net.ErrClosed) {
			err = errors.Join(err, closed)
		}
	}
	if c.stream != nil {
		c.stream.Close()
	}
	if c.pool != nil {
		c.pool.Close()
	}
	return err
}
