package publish

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts what a Relay and a Heartbeat do.
type Metrics struct {
	sent, large, contests, failures prometheus.Counter
	beats, beatFailures             prometheus.Counter
	delay                           prometheus.Histogram
	behind                          prometheus.Gauge
}

// NewMetrics registers the figures of a Relay and a Heartbeat; nil registers them nowhere.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &Metrics{
		sent:         counter("svc_relay_changes_total", "Changes put on the stream."),
		large:        counter("svc_relay_large_changes_total", "Changes whose body went to object storage first."),
		contests:     counter("svc_relay_contests_total", "Appends refused because another relay was quicker."),
		failures:     counter("svc_relay_failures_total", "Tries to bring a log to the stream that failed."),
		beats:        counter("svc_heartbeats_total", "Heartbeats sent."),
		beatFailures: counter("svc_heartbeat_failures_total", "Heartbeats that could not be made or sent."),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_relay_delay_seconds", Help: "Time from a change to its message on the stream.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}),
		behind: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_relay_logs_behind", Help: "Logs that changed in the last minute and are not known to be on the stream.",
		}),
	}
	if r != nil {
		r.MustRegister(m.sent, m.large, m.contests, m.failures, m.beats, m.beatFailures, m.delay, m.behind)
	}
	return m
}

// appended counts a message for a change made at that time by the database's clock.
func (m *Metrics) appended(made time.Time) {
	m.sent.Inc()
	m.delay.Observe(max(time.Since(made), 0).Seconds())
}
