// Package telemetry sets up the observability of a program: structured logs, Prometheus metrics and alarms.
package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config says how to log. It is embedded in the configuration of each program.
type Config struct {
	LogLevel  string `env:"SVC_LOG_LEVEL" envDefault:"info"`
	LogFormat string `env:"SVC_LOG_FORMAT" envDefault:"json"`
}

// Logger returns a logger of the configured level (debug, info, warn, error) and format (json, text). Durations are
// written as text with their unit, such as "6.3ms", in both.
func (c Config) Logger(w io.Writer, program string) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, fmt.Errorf("SVC_LOG_LEVEL is %q; it must be debug, info, warn or error", c.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: readable}
	switch c.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)).With("program", program), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, options)).With("program", program), nil
	}
	return nil, fmt.Errorf("SVC_LOG_FORMAT is %q; it must be json or text", c.LogFormat)
}

// readable writes a duration as text of three figures or so; JSON would have bare nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	d := a.Value.Duration()
	unit := time.Nanosecond
	for unit < d.Abs()/100 && unit < time.Second/10 {
		unit *= 10
	}
	a.Value = slog.StringValue(d.Round(unit).String())
	return a
}

// Registry returns a metrics registry that already holds the process and runtime figures.
func Registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Handler serves a registry in the Prometheus text format.
func Handler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r})
}
