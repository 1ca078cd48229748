package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
)

// Figures counts and times requests. Nil counts nothing.
type Figures struct {
	registry prometheus.Registerer
	requests [kinds][classes]prometheus.Counter
	seconds  [kinds]prometheus.Observer
}

// kind is what became of a request.
type kind int

const (
	other     kind = iota // answered here without a read: health, and what is not well-formed
	readHere              // a public read
	forwarded             // passed on to core
	kinds
)

var kindNames = [kinds]string{"other", "read", "forward"}

// classes are the statuses that are told apart: by their hundreds, and two by themselves.
const (
	notModified = 6
	tooMany     = 7
	classes     = 8
)

var classNames = [classes]string{"0xx", "1xx", "2xx", "3xx", "4xx", "5xx", "304", "429"}

func classOf(status int) int {
	switch {
	case status == fasthttp.StatusNotModified:
		return notModified
	case status == fasthttp.StatusTooManyRequests:
		return tooMany
	}
	return min(max(status/100, 0), 5)
}

// NewFigures registers the figures of one server.
func NewFigures(r prometheus.Registerer) *Figures {
	f := &Figures{registry: r}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "svc_edge_requests_total",
		Help: "Requests answered, by kind (read: a public read answered here; forward: passed on to core; other) and status (304 and 429 apart).",
	}, []string{"kind", "status"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "svc_edge_request_seconds", Help: "Time from the head of a request to its answer, by kind.",
		Buckets: prometheus.ExponentialBuckets(0.00005, 4, 10),
	}, []string{"kind"})
	r.MustRegister(requests, seconds)
	for k := range kinds {
		f.seconds[k] = seconds.WithLabelValues(kindNames[k])
		for c := range classes {
			if c > 1 {
				f.requests[k][c] = requests.WithLabelValues(kindNames[k], classNames[c])
			}
		}
	}
	return f
}

// of adds what is read off a server.
func (f *Figures) of(s *Server) {
	if f == nil {
		return
	}
	f.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_edge_connections", Help: "Open connections.",
	}, func() float64 { return float64(s.connections.Count()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_edge_live_streams", Help: "Open connections that follow live events.",
	}, func() float64 { return float64(s.connections.Held()) }))
}

// count takes a request in that has been answered.
func (f *Figures) count(ctx *fasthttp.RequestCtx, k *kind, begin time.Time) {
	if f == nil {
		return
	}
	f.seconds[*k].Observe(time.Since(begin).Seconds())
	if c := f.requests[*k][classOf(ctx.Response.StatusCode())]; c != nil {
		c.Inc()
	}
}
