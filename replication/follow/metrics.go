package follow

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the figures of a follower.
type Metrics struct {
	applied                         prometheus.Histogram
	duplicates, overflows, diverged prometheus.Counter
	gaps, loads                     *prometheus.CounterVec
	registry                        prometheus.Registerer
}

// NewMetrics registers the figures of one follower; nil registers them nowhere.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "svc_follow_" + name, Help: help})
	}
	vector := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "svc_follow_" + name, Help: help}, []string{"result"})
	}
	m := &Metrics{
		registry: r,
		applied: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_follow_apply_seconds", Help: "How long the store took to apply a change.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10),
		}),
		duplicates: counter("duplicates_total", "Changes that the store had already."),
		overflows:  counter("overflows_total", "Times that a log had more messages waiting than it may, and read for itself."),
		diverged:   counter("diverged_total", "Snapshots after which the store differed from core: rebuild the edge."),
		gaps:       vector("gaps_total", "Questions to core for missing changes."),
		loads:      vector("loads_total", "Snapshots loaded."),
	}
	if r != nil {
		r.MustRegister(m.applied, m.duplicates, m.overflows, m.diverged, m.gaps, m.loads)
	}
	return m
}

func (m *Metrics) gap(err error) {
	switch {
	case err == nil:
		m.gaps.WithLabelValues("served").Inc()
	case errors.Is(err, ErrUnserved):
		m.gaps.WithLabelValues("refused").Inc()
	default:
		m.gaps.WithLabelValues("failed").Inc()
	}
}

func (m *Metrics) load(err error) {
	if err == nil {
		m.loads.WithLabelValues("loaded").Inc()
	} else {
		m.loads.WithLabelValues("failed").Inc()
	}
}

// follow adds the figures that are read off a follower.
func (m *Metrics) follow(f *Follower) {
	if m.registry == nil {
		return
	}
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "svc_follow_" + name, Help: help}, value))
	}
	gauge("silence_seconds", "How long ago core was last heard.", func() float64 { return f.Silence().Seconds() })
	gauge("queued_bytes", "Messages waiting to be applied.", func() float64 { return float64(f.queued.Load()) })
	gauge("logs", "Logs followed.", func() float64 { return float64(len(f.all())) })
	gauge("logs_behind", "Logs that are behind core.", f.count(func(s LogStatus) float64 { return one(s.Behind > 0) }, sum))
	gauge("logs_stopped", "Logs that are stopped and need an operator.", f.count(func(s LogStatus) float64 { return one(s.Trouble != nil && s.Trouble.Stopped) }, sum))
	gauge("late_seconds", "Longest time for which a log lacks a change that core has.", f.count(func(s LogStatus) float64 { return s.Late.Seconds() }, highest))
}

func (f *Follower) count(of func(LogStatus) float64, join func(a, b float64) float64) func() float64 {
	return func() float64 {
		total := 0.0
		now := f.cfg.Now()
		for _, l := range f.all() {
			total = join(total, of(l.status(now)))
		}
		return total
	}
}

func sum(a, b float64) float64     { return a + b }
func highest(a, b float64) float64 { return max(a, b) }

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
