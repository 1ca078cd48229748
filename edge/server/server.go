// Package server is the HTTP side of an edge: it answers public reads, sends live events (live.go), and forwards everything else to
// core.
//
// Requests that are not strictly well-formed are refused before they are interpreted, so that an edge and the proxies before
// and servers behind it always see the same requests in a connection (no request smuggling).
package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"svc/edge/limit"
	"svc/edge/live"
	"svc/edge/origin"
	"svc/shared/connections"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/outbound"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// Config is what a server is made of.
type Config struct {
	Engine    *read.Engine
	Forwarder *origin.Forwarder
	Limiter   *limit.Limiter
	// Resolve returns a project by its id or slug, and nil where this edge holds none.
	Resolve func(ref string) *read.Project
	// Live has the events of projects; nil has none, as if this edge held no project.
	Live *live.Hub
	// Keys are those that this edge holds; no others are asked for.
	Keys    read.Keys
	Proxies limit.Proxies
	// Status tells how the edge is doing.
	Status Status
	// Figures counts requests; nil counts nothing.
	Figures *Figures
	// MostConnections bounds the connections; where more come, those that rest longest are closed. Half of them may follow live
	// events, so that reads find room. 0 is 8,192.
	MostConnections int
	// MostAnswers bounds the memory, in bytes, of answers that callers are taking. 0 is 64 MiB.
	MostAnswers int
	Pace
	Logger *slog.Logger
}

// Status is what the server says about the edge behind it.
type Status interface {
	// Stale is how long nothing was heard from core, and false while that is within bounds.
	Stale() (time.Duration, bool)
	// Unready lists why the edge should get no traffic; nothing means it is ready.
	Unready() []string
}

// Server answers requests. It serves once.
type Server struct {
	Config
	http        *fasthttp.Server
	connections *connections.Set
	outbound    *outbound.Answers
	unknown     *unknown
	beats       beats
	ending      chan struct{} // closed when event streams end
	endOnce     sync.Once
	stopping    atomic.Bool
	lingering   sync.WaitGroup
}

const (
	maxHeader = 16 << 10
	prefetch  = 8 << 10 // of a body; what is longer is streamed
)

// New returns a server.
func New(cfg Config) *Server {
	cfg.Pace = cfg.Pace.withDefaults()
	cfg.MostConnections = cmp.Or(cfg.MostConnections, 8192)
	s := &Server{
		Config: cfg, connections: connections.New(cfg.MostConnections), outbound: outbound.New(cmp.Or(cfg.MostAnswers, defaultAnswers)),
		unknown: newUnknown(time.Now), ending: make(chan struct{}),
	}
	if s.Live == nil {
		s.Live = live.New(live.Config{Position: func(content.ProjectID) (uint64, bool) { return 0, false }})
	}
	s.http = &fasthttp.Server{
		Handler:                      s.handle,
		ErrorHandler:                 s.malformed,
		HeaderReceived:               s.admit,
		ConnState:                    s.track,
		Concurrency:                  cfg.MostConnections + cfg.MostConnections/8 + 1,
		ReadTimeout:                  cfg.Pace.Header,
		WriteTimeout:                 cfg.Pace.Caller,
		IdleTimeout:                  cfg.Pace.Idle,
		ReadBufferSize:               maxHeader,
		MaxRequestBodySize:           prefetch,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		KeepHijackedConns:            true, // what takes a connection over closes it
		Logger:                       quiet{cfg.Logger},
	}
	cfg.Figures.of(s)
	return s
}

// track is the server's ConnState hook, whose states are those of net/http.
func (s *Server) track(conn net.Conn, state fasthttp.ConnState) {
	s.connections.Track(conn, http.ConnState(state))
}

// admit gives a request with a body the time to send the beginning of it. What reads the rest allows more.
func (s *Server) admit(header *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if header.ContentLength() != 0 {
		return fasthttp.RequestConfig{ReadTimeout: s.Pace.Caller}
	}
	return fasthttp.RequestConfig{}
}

func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	s.connections.Use(ctx.Conn())
	h := &ctx.Request.Header
	id := telemetry.RequestID(string(h.PeekCanonical([]byte("Traceparent"))), "")
	kind := other
	defer s.Figures.count(ctx, &kind, ctx.Time())
	defer s.finish(ctx, id)
	t, err := checked(ctx)
	if err != nil {
		s.refuse(ctx, err, id)
		return
	}
	switch string(t.path) {
	case "*":
		ctx.Response.Header.Set("Allow", allMethods)
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	case "/healthz", "/readyz":
		s.health(ctx, t, id)
	default:
		kind = s.answer(ctx, t, id)
	}
}

func (s *Server) answer(ctx *fasthttp.RequestCtx, t target, id string) kind {
	call := origin.Call{Target: view(t.raw), Client: s.client(ctx), RequestID: id}
	if what, ok := read.ParsePath(t.path); ok && isRead(ctx) {
		return s.read(ctx, what, t, call)
	}
	if ctx.IsOptions() && string(t.path) == read.ResolvePath { // which is the same for everyone, and needs no core
		write(ctx, read.ResolveHeaders(fasthttp.MethodOptions))
		ctx.SetStatusCode(fasthttp.StatusNoContent)
		return readHere
	}
	s.forward(ctx, call)
	return forwarded
}

func (s *Server) forward(ctx *fasthttp.RequestCtx, call origin.Call) {
	if s.Forwarder.Forward(ctx, call) {
		s.linger(ctx)
	}
}

// finish is the end of every request, those whose handler broke included.
func (s *Server) finish(ctx *fasthttp.RequestCtx, id string) {
	if cause := recover(); cause != nil {
		s.Logger.Error("a handler panicked", "requestId", id, "method", string(ctx.Method()), "path", string(ctx.URI().PathOriginal()),
			"cause", cause, "stack", string(debug.Stack()))
		ctx.Response.Reset()
		origin.WriteProblem(ctx, fault.Wrap(fmt.Errorf("panic: %v", cause), "answering"), id)
		s.common(ctx, read.Path{}, nil) // looking at the project again may end as badly
		ctx.SetConnectionClose()
	}
	s.readable(ctx)
	if s.stopping.Load() {
		ctx.SetConnectionClose()
	}
	setHeader(&ctx.Response.Header, telemetry.RequestIDHeader, id)
}

func isRead(ctx *fasthttp.RequestCtx) bool { return ctx.IsGet() || ctx.IsHead() || ctx.IsOptions() }

// client is the address a request counts under.
func (s *Server) client(ctx *fasthttp.RequestCtx) netip.Addr {
	peer := netip.IPv6Unspecified()
	if tcp, ok := ctx.RemoteAddr().(*net.TCPAddr); ok {
		peer = tcp.AddrPort().Addr()
	}
	if len(s.Proxies) == 0 {
		return peer.Unmap().WithZone("")
	}
	return s.Proxies.Client(peer, joined(&ctx.Request.Header, "X-Forwarded-For"))
}

// quiet passes on what fasthttp logs, which is about connections and of interest when debugging only.
type quiet struct{ *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.Debug("http server", "message", fmt.Sprintf(format, args...))
}
