package core

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"svc/core/access"
	"svc/core/api"
	"svc/core/metering"
	"svc/core/rewind"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/lifecycle"
)

// housekeep forgets hourly what is past its time.
func (c *Core) housekeep(ctx context.Context) error {
	lifecycle.Every(ctx, time.Hour, func() {
		if err := errors.Join(api.ForgetAnswers(ctx, c.pool), c.cores.Forget(ctx), metering.Forget(ctx, c.pool)); err != nil && ctx.Err() == nil {
			c.logger.Warn("housekeeping failed; it runs again in an hour", "error", err)
		}
	})
	return nil
}

// answered counts a public read that this core answered.
func (c *Core) answered(organization content.OrganizationID) {
	c.metering.Counters.Add(organization, usage.PublicAPIRequests, 1)
}

// unready lists why this core should get no traffic.
func (c *Core) unready() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	reasons := c.http.Unready()
	if err := c.pool.Ping(ctx); err != nil {
		reasons = append(reasons, "the database does not answer")
	}
	if checked, err := rewind.Checked(ctx, c.pool); err == nil && !checked {
		reasons = append(reasons, "nothing can be published before the database has been compared with the stream")
	}
	if !c.stream.Connected() {
		reasons = append(reasons, "not connected to NATS")
	}
	return reasons
}

// key finds an API key by its public id, for an edge that has not met it yet.
func (c *Core) key(ctx context.Context, publicID string) (organization string, key *recordpb.Key, err error) {
	g, err := access.Grant(ctx, c.pool, publicID)
	if err != nil {
		return "", nil, err
	}
	if g == nil {
		return "", nil, fault.New(fault.NotFound, "there is no key of this public id")
	}
	return string(g.Organization), record.KeyOf(g), nil
}

// registerPool registers the figures of the connections to the database.
func registerPool(r prometheus.Registerer, pool *pgxpool.Pool) {
	gauge := func(name, help string, value func(*pgxpool.Stat) float64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(pool.Stat()) }))
	}
	gauge("svc_database_connections", "Connections to the database, in use or idle.", func(s *pgxpool.Stat) float64 { return float64(s.TotalConns()) })
	gauge("svc_database_connections_used", "Connections to the database that are in use.", func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) })
	gauge("svc_database_connections_most", "Connections to the database that there may be.", func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) })
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "svc_database_waits_total", Help: "Times that work had to wait for a connection to the database.",
	}, func() float64 { return float64(pool.Stat().EmptyAcquireCount()) }))
}
