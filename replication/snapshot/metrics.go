package snapshot

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts snapshots.
type Metrics struct {
	seconds  prometheus.Histogram
	failures prometheus.Counter
}

// NewMetrics registers the figures of a Keeper; nil registers them nowhere.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_snapshot_write_seconds", Help: "How long writing a snapshot took.",
			Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "svc_snapshot_failures_total", Help: "Snapshots that could not be written.",
		}),
	}
	if r != nil {
		r.MustRegister(m.seconds, m.failures)
	}
	return m
}

func (m *Metrics) written(took time.Duration) { m.seconds.Observe(took.Seconds()) }
func (m *Metrics) failed()                    { m.failures.Inc() }
