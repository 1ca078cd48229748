package core

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

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
