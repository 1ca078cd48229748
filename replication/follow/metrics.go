package follow

import (
	"errors"
	"math"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the figures of a follower.
type Metrics struct {
	applied, loading                    prometheus.Histogram
	messages, duplicates                prometheus.Counter
	overflows, diverged, reportFailures prometheus.Counter
	gaps, loads, attachments            *prometheus.CounterVec
	registry                            prometheus.Registerer
}

// NewMetrics registers the figures of one follower; nil registers them nowhere. Every result has a figure from the
// start on.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vector := func(name, help, label string, values ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, value := range values {
			v.WithLabelValues(value)
		}
		return v
	}
	m := &Metrics{
		registry: r,
		applied: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_follow_apply_seconds", Help: "How long the store took to apply a change.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10),
		}),
		loading: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_follow_load_seconds", Help: "How long loading a snapshot took.",
			Buckets: prometheus.ExponentialBuckets(0.01, 4, 9),
		}),
		messages:       counter("svc_follow_messages_total", "Messages of the stream that were taken in."),
		duplicates:     counter("svc_follow_duplicates_total", "Changes that the store had already."),
		overflows:      counter("svc_follow_overflows_total", "Times that a log had more messages waiting than it may, and core was asked for the rest."),
		diverged:       counter("svc_follow_diverged_total", "Snapshots after which the store differed from core: rebuild the edge."),
		reportFailures: counter("svc_follow_report_failures_total", "Reports to core's list of edges that did not get through."),
		gaps: vector("svc_follow_gaps_total", "Questions to core for missing changes: served, refused (a snapshot is needed) or failed.",
			"result", "served", "refused", "failed"),
		loads: vector("svc_follow_loads_total", "Snapshots loaded, or not.", "result", "loaded", "failed"),
		attachments: vector("svc_follow_attachments_total", "Beginnings to follow the stream, by what was found of the place reached before: "+
			"resumed, lost (messages after it are gone) or fresh (there was none).", "how", "resumed", "lost", "fresh"),
	}
	if r != nil {
		r.MustRegister(m.applied, m.loading, m.messages, m.duplicates, m.overflows, m.diverged, m.reportFailures, m.gaps, m.loads, m.attachments)
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

// follow adds the figures that are read off a follower.
func (m *Metrics) follow(f *Follower) {
	if m.registry == nil {
		return
	}
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("svc_follow_silence_seconds", "How long ago core was last heard; +Inf where it was not since the start.", func() float64 {
		if silence := f.Silence(); silence != Never {
			return silence.Seconds()
		}
		return math.Inf(1)
	})
	gauge("svc_follow_queued_bytes", "Messages waiting to be applied.", func() float64 { return float64(f.queued.Load()) })
	gauge("svc_follow_logs", "Logs followed.", func() float64 { return float64(len(f.all())) })
	count := func(of func(LogStatus) bool) func() float64 {
		return func() (n float64) {
			for _, s := range f.statuses() {
				if of(s) {
					n++
				}
			}
			return n
		}
	}
	gauge("svc_follow_logs_behind", "Logs that are behind core.", count(func(s LogStatus) bool { return s.Behind > 0 }))
	gauge("svc_follow_logs_stopped", "Logs that are stopped and need an operator.", count(func(s LogStatus) bool { return s.Trouble != nil && s.Trouble.Stopped }))
	gauge("svc_follow_late_seconds", "Longest time for which a log lacks a change that core has.", func() (longest float64) {
		for _, s := range f.statuses() {
			longest = max(longest, s.Late.Seconds())
		}
		return longest
	})
}
