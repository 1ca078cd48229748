package api

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics times requests.
type Metrics struct{ requests *prometheus.HistogramVec }

// NewMetrics registers the figures of a Server; nil registers them nowhere.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "svc_http_request_seconds", Help: "Time from a request to the end of its answer.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
	}, []string{"route", "method", "status"})}
	if r != nil {
		r.MustRegister(m.requests)
	}
	return m
}

// observe counts a request under its route; paths that are none, and methods, have a bounded number of names.
func (m *Metrics) observe(g *gin.Context, took time.Duration) {
	route, method := g.FullPath(), g.Request.Method
	if route == "" {
		route, method = "none", "none"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(g.Writer.Status())).Observe(took.Seconds())
}
