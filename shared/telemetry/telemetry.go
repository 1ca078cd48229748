// Package telemetry sets up the observability of a program: structured logs, Prometheus metrics and alarms.
package telemetry

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
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

// Build names the program by the revision it was built from: its first twelve characters, with "+changes" where the tree
// had some; "development" where the build does not say.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if revision == "" {
		return "development"
	}
	return revision[:min(12, len(revision))] + modified
}

// RequestIDHeader carries the id of a request on every response, and from an edge to core. It is in canonical form.
const RequestIDHeader = "Svc-Request-Id"

// RequestID returns the id of a request: the trace id of a valid traceparent (W3C Trace Context), else the id that
// an edge gave it before, else a new one. It is always 32 lower-case hexadecimal characters.
func RequestID(traceparent, forwarded string) string {
	if traceparent != "" {
		if id := traceID(traceparent); id != "" {
			return id
		}
	}
	if isTraceID(forwarded) {
		return forwarded
	}
	var b [16]byte // unique and no secret, so it costs no call of the system
	binary.BigEndian.PutUint64(b[:8], rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	return hex.EncodeToString(b[:])
}

// traceID returns the trace id of version-traceid-parentid-flags, or nothing where the header is not valid.
func traceID(traceparent string) string {
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || !isHex(parts[0]) || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 ||
		!isTraceID(parts[1]) || len(parts[2]) != 16 || !isHex(parts[2]) || strings.Trim(parts[2], "0") == "" ||
		len(parts[3]) != 2 || !isHex(parts[3]) {
		return ""
	}
	return parts[1]
}

func isTraceID(s string) bool { return len(s) == 32 && isHex(s) && strings.Trim(s, "0") != "" }

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
