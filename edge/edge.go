// Package edge assembles the reading side of the service: a store that follows core, and a server that answers from it.
// Nothing here is needed to survive: an edge whose directory is gone loads itself again, and one that finds neither core,
// the stream nor Redis goes on serving what it holds.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"svc/edge/limit"
	"svc/edge/live"
	"svc/edge/origin"
	"svc/edge/server"
	"svc/edge/store"
	"svc/replication/follow"
	"svc/replication/stream"
	"svc/replication/usage"
	"svc/shared/blob"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/lifecycle"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// Edge is one edge process.
type Edge struct {
	cfg      Config
	logger   *slog.Logger
	store    *store.Store
	live     *live.Hub
	stream   *stream.Conn
	core     *follow.CoreClient
	blobs    *blob.S3
	cores    *origin.Cores
	follower *follow.Follower
	answers  *read.Cache
	counters usage.Counters  // of what organizations use
	uses     credential.Uses // of keys
	alarms   *telemetry.Alarms
	listener net.Listener
	admin    net.Listener // nil where metrics are shown nowhere
	group    lifecycle.Group
}

// New opens the store and prepares everything to run; core, the stream and Redis may be away. The caller closes it.
func New(ctx context.Context, cfg Config, logger *slog.Logger) (*Edge, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	e := &Edge{cfg: cfg, logger: logger.With("edge", cfg.ID)}
	if err := e.open(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Edge) open(ctx context.Context) (err error) {
	store.LimitMemory(e.cfg.Memory)
	registry := telemetry.Registry()
	e.alarms = telemetry.NewAlarms(telemetry.EdgeAlarms(), registry, e.logger)
	e.live = e.newHub()
	if e.store, err = store.New(store.Config{
		Dir: e.cfg.Dir, MemoryBudget: e.cfg.Memory / 2, MinFree: uint64(e.cfg.MinFree), Settled: e.settled, OnCommit: e.committed,
		OnDamage: e.damaged, Logger: e.logger,
	}); err != nil {
		return err
	}
	if e.cfg.answerCache() > 0 {
		if e.answers, err = read.NewCache(e.cfg.answerCache()); err != nil {
			return err
		}
	}
	e.cfg.Stream.Name = "edge-" + e.cfg.ID
	if e.stream, err = stream.Connect(e.cfg.Stream, e.logger); err != nil {
		return err
	}
	if e.blobs, err = blob.OpenS3(e.cfg.Blob); err != nil {
		return err
	}
	if e.cores, err = origin.NewCores(e.cfg.CoreURL, 0); err != nil {
		return err
	}
	e.core = follow.NewCoreClientVia(e.cores, e.cores.Base().String(), e.cfg.ClusterSecret)
	e.follower = follow.New(follow.Config{
		Edge: e.cfg.ID, Build: telemetry.Build(), Applier: e.store, Stream: e.stream, Core: e.core, Blobs: e.blobs,
		Wants: e.cfg.wants, Now: e.cfg.Now, Logger: e.logger, Metrics: follow.NewMetrics(registry), Alarms: e.alarms,
	})
	if e.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", e.cfg.Listen); err != nil {
		return fmt.Errorf("listening on SVC_EDGE_LISTEN: %w", err)
	}
	if e.admin, err = telemetry.AdminListener(ctx, "SVC_EDGE_ADMIN_LISTEN", e.cfg.AdminListen); err != nil {
		return err
	}
	e.stream.Register(registry)
	registerFigures(registry, e.store, e.answers, e.logger)
	return e.assemble(registry)
}

// connections is how many there may be: they get a quarter of the memory.
func (e *Edge) connections() int { return server.Room(e.cfg.Memory / 4) }

// assemble adds the parts in the order in which they depend on each other; they stop in reverse.
func (e *Edge) assemble(registry *prometheus.Registry) error {
	limiter := limit.New(e.cfg.Limit.Reads(), nil)
	proxies, err := e.cfg.Limit.Proxies()
	if err != nil {
		return err
	}
	status := status{e.follower, time.Now()}
	s := server.New(server.Config{
		Engine: &read.Engine{
			Store: e.store, Cache: e.answers, Await: e.await, Used: e.uses.Note, Answered: e.answered, Now: e.cfg.Now, LocalOrigins: !e.cfg.Production,
			Keys: origin.NewKeys(e.store, e.cores, e.cfg.ClusterSecret, e.credentialAge, e.cfg.CredentialMaxAge),
		},
		Forwarder: origin.New(origin.Config{Cores: e.cores, Most: e.connections() / 2, Logger: e.logger}),
		Limiter:   limiter, Proxies: proxies, Resolve: e.store.Resolve, Live: e.live, Keys: e.store, Status: status,
		Figures:         server.NewFigures(registry),
		MostConnections: e.connections(), MostAnswers: int(e.cfg.Memory/4 - e.cfg.answerCache()), Pace: server.Pace{Drain: e.cfg.Drain}, Logger: e.logger,
	})
	e.group.Logger, e.group.StopTimeout = e.logger, e.cfg.Drain+30*time.Second
	e.group.Add("follower", e.follower.Run)
	e.group.Add("watch", (&watch{dir: e.cfg.Dir, status: status, store: e.store, stream: e.stream, alarms: e.alarms, logger: e.logger}).run)
	e.group.Add("usage", (&usage.Sender{
		Edge: e.cfg.ID, Started: time.Now(), Counters: &e.counters, Uses: &e.uses, Stream: e.stream, Now: e.cfg.Now, Logger: e.logger,
	}).Run)
	if e.cfg.Limit.RedisURL != "" {
		reporter, err := limit.NewReporter(limiter, e.cfg.Limit.RedisURL, e.logger)
		if err != nil {
			return err
		}
		e.group.Add("rate limits", reporter.Run)
	}
	if e.admin != nil {
		e.group.Add("metrics", func(ctx context.Context) error { return telemetry.ServeMetrics(ctx, e.admin, registry) })
	}
	e.group.Add("http", func(ctx context.Context) error { return s.Serve(ctx, e.listener) })
	return nil
}

// Run works until ctx ends, then stops the parts in order.
func (e *Edge) Run(ctx context.Context) error {
	e.logger.Info("edge is up", "address", e.Address())
	return e.group.Run(ctx)
}

// Address is where the edge listens.
func (e *Edge) Address() string { return e.listener.Addr().String() }

// Close lets go of everything that New opened.
func (e *Edge) Close() error {
	var errs []error
	for _, l := range []net.Listener{e.listener, e.admin} {
		if l == nil {
			continue
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if e.cores != nil {
		e.cores.CloseIdleConnections()
	}
	if e.core != nil {
		e.core.Close()
	}
	if e.stream != nil {
		e.stream.Close()
	}
	if e.blobs != nil {
		e.blobs.Close()
	}
	if e.answers != nil {
		e.answers.Close()
	}
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	return errors.Join(errs...)
}

// answered counts a public read that this edge answered.
func (e *Edge) answered(organization content.OrganizationID) {
	e.counters.Add(organization, usage.PublicAPIRequests, 1)
}

// newHub makes the hub of live events, which the store tells of its commits.
func (e *Edge) newHub() *live.Hub {
	return live.New(live.Config{Memory: int(e.cfg.Memory / 32), Position: func(project content.ProjectID) (uint64, bool) {
		at, held, err := e.store.Position(string(project))
		if err != nil {
			e.logger.Error("cannot tell where the log of a project stands", "project", project, "error", err)
		}
		return at.Seq, held
	}})
}

// committed passes on what happened in the log of a project; rights that change with an organization's are looked at by streams.
func (e *Edge) committed(c store.Commit) {
	project := content.ProjectID(c.Log)
	switch {
	case !content.IsID[content.ProjectID](c.Log):
	case c.Change == nil:
		e.live.Reset(project, c.Seq)
	default:
		e.live.Publish(live.EventOf(c.Change, c.Release, c.WasPublic))
	}
}

// settled is asked by the store, which is there before the follower is.
func (e *Edge) settled(log string) time.Time {
	if e.follower == nil {
		return time.Time{}
	}
	return e.follower.Settled(log)
}

func (e *Edge) credentialAge(o content.OrganizationID) time.Duration {
	return e.follower.CredentialAge(string(o))
}

// await waits until readers can see a release of a project.
func (e *Edge) await(ctx context.Context, project content.ProjectID, release uint64) error {
	return e.follower.Await(ctx, string(project), func() bool {
		view, err := e.store.Open(ctx, string(project))
		if err != nil {
			return false
		}
		defer view.Close()
		return view.Head().Number >= release
	})
}
