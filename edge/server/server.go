// Package server is the HTTP side of an edge: public reads are answered here, everything else is passed on to core.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"

	"svc/edge/limit"
	"svc/edge/origin"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// Config is what a server is made of.
type Config struct {
	Engine    *read.Engine
	Forwarder *origin.Forwarder
	Limiter   *limit.Limiter
	// Resolve returns the id of a project that this edge holds, by its id or slug.
	Resolve func(ref string) (content.ProjectID, bool)
	Proxies limit.Proxies
	// Status tells how the edge is doing.
	Status Status
	// Metrics serves /metrics; nil leaves the path to core.
	Metrics fasthttp.RequestHandler
	Logger  *slog.Logger
}

// Status is what the server says about the edge behind it.
type Status interface {
	// Stale is how long nothing was heard from core, and false while that is within bounds.
	Stale() (time.Duration, bool)
	// Unready lists why the edge should get no traffic; nothing means it is ready.
	Unready() []string
}

// Server answers requests.
type Server struct {
	Config
	http *fasthttp.Server
}

const (
	headerTimeout = 15 * time.Second // to send the head of a request
	bodyTimeout   = 10 * time.Minute // to send a body that is passed on
	writeTimeout  = 10 * time.Minute // to take an answer
	idleTimeout   = 75 * time.Second
	maxHeader     = 16 << 10
	prefetch      = 64 << 10 // of a body; what is longer is streamed
)

// New returns a server.
func New(cfg Config) *Server {
	s := &Server{Config: cfg}
	s.http = &fasthttp.Server{
		Handler:                      s.handle,
		ErrorHandler:                 s.malformed,
		HeaderReceived:               s.admit,
		ReadTimeout:                  headerTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ReadBufferSize:               maxHeader,
		MaxRequestBodySize:           prefetch,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		Logger:                       quiet{cfg.Logger},
	}
	return s
}

// Serve answers connections of l until ctx ends; then it finishes the requests that are under way.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	done := make(chan error, 1)
	go func() { done <- s.http.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 25*time.Second)
	defer cancel()
	err := s.http.ShutdownWithContext(stopping)
	// A shutdown that came before serving had begun closed nothing.
	if closeErr := l.Close(); closeErr != nil && !errors.Is(closeErr, net.ErrClosed) {
		err = errors.Join(err, closeErr)
	}
	if serveErr := <-done; serveErr != nil && !errors.Is(serveErr, net.ErrClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}

// admit gives a request with a body the time to send it.
func (s *Server) admit(header *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if header.ContentLength() != 0 {
		return fasthttp.RequestConfig{ReadTimeout: bodyTimeout}
	}
	return fasthttp.RequestConfig{}
}

func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	id := telemetry.RequestID(string(h.Peek("Traceparent")), "")
	switch path := ctx.URI().PathOriginal(); {
	case string(path) == "/healthz":
		writeJSON(ctx, fasthttp.StatusOK, `{"status":"ok"}`)
	case string(path) == "/readyz":
		s.ready(ctx)
	case string(path) == "/metrics" && s.Metrics != nil:
		s.Metrics(ctx)
	default:
		client := s.client(ctx)
		if t, ok := readTarget(path); ok && isRead(ctx) {
			s.read(ctx, t, client, id)
		} else {
			s.Forwarder.Forward(ctx, client, id)
		}
	}
	ctx.Response.Header.Set(telemetry.RequestIDHeader, id)
}

func isRead(ctx *fasthttp.RequestCtx) bool { return ctx.IsGet() || ctx.IsHead() || ctx.IsOptions() }

// client is the address a request counts under.
func (s *Server) client(ctx *fasthttp.RequestCtx) netip.Addr {
	peer := netip.IPv6Unspecified()
	if tcp, ok := ctx.RemoteAddr().(*net.TCPAddr); ok {
		peer = tcp.AddrPort().Addr()
	}
	if len(s.Proxies) == 0 {
		return peer.Unmap()
	}
	return s.Proxies.Client(peer, joined(&ctx.Request.Header, "X-Forwarded-For"))
}

// malformed answers what is not even a request.
func (s *Server) malformed(ctx *fasthttp.RequestCtx, err error) {
	id := telemetry.RequestID("", "")
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &small):
		origin.WriteProblem(ctx, fault.New(fault.PayloadTooLarge, "the head of the request is larger than %d KiB", maxHeader>>10), id)
		ctx.SetStatusCode(fasthttp.StatusRequestHeaderFieldsTooLarge)
	default:
		origin.WriteProblem(ctx, fault.New(fault.ValidationFailed, "the request is not well-formed HTTP"), id)
	}
	ctx.Response.Header.Set(telemetry.RequestIDHeader, id)
	ctx.SetConnectionClose()
}

// quiet passes on what fasthttp logs, which is about connections and of interest when debugging only.
type quiet struct{ *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.Debug("http server", "message", fmt.Sprintf(format, args...))
}
