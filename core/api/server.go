// Package api is core's HTTP side: management routes, public reads from PostgreSQL, and the routes between core and
// edges. Who may call what is in the table of routes.go; a handler gets a call that was authenticated, authorised and
// parsed, and returns a value or a failure.
package api

import (
	"cmp"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/shared/fault"
	"svc/shared/outbound"
	"svc/shared/read"
)

// Config is what the API serves from.
type Config struct {
	Pool   *pgxpool.Pool
	Reader *read.Engine
	Fleet  Fleet
	Cores  Cores
	// Internal serves the routes between core and edges, under /internal/.
	Internal http.Handler
	// AssetURL is where assets are delivered; empty is nowhere.
	AssetURL string
	// Ready lists why core should get no traffic; nothing means it is ready.
	Ready func() []string
	// Answers is how many bytes of large answers may wait for their callers to take them; 0 is no bound.
	Answers  int64
	Requests *Metrics // of this server
	Logger   *slog.Logger
}

// Server answers core's HTTP requests.
type Server struct {
	Config
	engine  *gin.Engine
	pace    pace
	times   times
	bodies  *bodies
	imports *turns // of streamed imports
	// outbound is the large answers that callers are taking.
	outbound *outbound.Answers
	// patience is how long a request waits for the first one with its Idempotency-Key.
	patience time.Duration
	// described is the OpenAPI document.
	described func() ([]byte, error)
}

// New returns a server.
func New(cfg Config) *Server {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.UseRawPath = true
	engine.UnescapePathValues = true
	engine.RedirectTrailingSlash = false
	engine.HandleMethodNotAllowed = true
	s := &Server{
		Config: cfg, engine: engine, pace: defaultPace, times: defaultTimes, bodies: newBodies(), outbound: outbound.New(int(cmp.Or(cfg.Answers, math.MaxInt))),
		imports: newTurns(importsOfOne, importsOfAll), patience: patience,
	}
	s.described = sync.OnceValues(s.document)
	engine.Use(identify, s.observe, gin.CustomRecoveryWithWriter(nil, s.panicked), s.checkHead)
	for _, r := range routes() {
		s.mount(engine, r)
	}
	s.mountReads(engine)
	s.mountInternal(engine)
	s.mountOpen(engine)
	s.mountAssets(engine)
	engine.NoRoute(func(g *gin.Context) {
		s.problem(g, fault.New(fault.NotFound, "there is no such path"))
	})
	engine.NoMethod(func(g *gin.Context) {
		s.problem(g, fault.New(fault.MethodNotAllowed, "%s is not a method of this path; it takes %s",
			g.Request.Method, g.Writer.Header().Get("Allow")))
	})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := s.pace.limit(w, r)
	if body == nil {
		s.engine.ServeHTTP(w, r)
		return
	}
	early := &earlyWriter{ResponseWriter: w, request: r, body: body}
	s.engine.ServeHTTP(early, r)
	early.dropRest()
}
