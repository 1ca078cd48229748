package snapshot

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts snapshots.
type Metrics struct {
	seconds                  prometheus.Histogram
	failures, untidy, pruned prometheus.Counter
	due                      prometheus.Gauge
}

// NewMetrics registers the figures of a Keeper; nil registers them nowhere.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &Metrics{
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_snapshot_write_seconds", Help: "How long writing a snapshot took.",
			Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
		}),
		failures: counter("svc_snapshot_failures_total", "Snapshots that could not be written."),
		untidy:   counter("svc_snapshot_tidy_failures_total", "Snapshots after which old ones, or changes they cover, could not be deleted."),
		pruned:   counter("svc_snapshot_pruned_changes_total", "Changes deleted from the database because snapshots cover them."),
		due: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_snapshots_due", Help: "Logs that want a snapshot, at most 100 counted.",
		}),
	}
	if r != nil {
		r.MustRegister(m.seconds, m.failures, m.untidy, m.pruned, m.due)
	}
	return m
}
