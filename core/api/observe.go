package api

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"svc/shared/fault"
	"svc/shared/telemetry"
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

// identify gives every request its id, and every answer the header that carries it.
func identify(g *gin.Context) {
	id := telemetry.RequestID(g.GetHeader("traceparent"), g.GetHeader(telemetry.RequestIDHeader))
	g.Set(telemetry.RequestIDHeader, id)
	g.Header(telemetry.RequestIDHeader, id)
	g.Next()
}

func requestID(g *gin.Context) string { return g.GetString(telemetry.RequestIDHeader) }

// observe times every request, and logs it at debug level. Queries stay out of that: they may carry tokens.
func (s *Server) observe(g *gin.Context) {
	start := time.Now()
	g.Next()
	took := time.Since(start)
	s.Requests.observe(g, took)
	if !s.Logger.Enabled(g.Request.Context(), slog.LevelDebug) {
		return
	}
	s.Logger.Debug("request", "requestId", requestID(g), "method", g.Request.Method, "path", g.Request.URL.Path,
		"route", g.FullPath(), "status", g.Writer.Status(), "bytes", max(0, g.Writer.Size()), "duration", took,
		"client", g.Request.RemoteAddr)
}

// panicked answers for a handler that broke, or ends the connection where an answer is under way already.
func (s *Server) panicked(g *gin.Context, cause any) {
	s.Logger.Error("a handler panicked", "requestId", requestID(g), "method", g.Request.Method, "path", g.FullPath(),
		"cause", cause, "stack", string(debug.Stack()))
	if g.Writer.Written() {
		panic(http.ErrAbortHandler)
	}
	s.problem(g, &fault.Error{Code: fault.Internal, Detail: "an internal error occurred"})
	g.Abort()
}
