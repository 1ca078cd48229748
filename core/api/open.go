package api

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/core/openapi"
	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
)

// open are the routes that take no credential.
func (s *Server) open() []openRoute {
	return []openRoute{
		{"/healthz", "Tell that the process is alive", nil, reflect.TypeFor[wire.Health](), s.healthz},
		{"/readyz", "Tell whether the process should get traffic", nil, reflect.TypeFor[wire.Health](), s.readyz},
		{"/v1/meta", "List what the deployment can do", nil, reflect.TypeFor[wire.Envelope[wire.Meta]](), s.meta},
		{"/openapi.json", "Describe the API", nil, reflect.TypeFor[map[string]any](), s.openapi},
		{read.ResolvePath, "Tell what a preview token shows; the token may also be the bearer credential", query.RouteResolve.Accepted(), reflect.TypeFor[wire.Envelope[wire.ResolvedPreview]](), s.resolvePreview},
	}
}

type openRoute struct {
	path, summary string
	query         []string // names of the parameters
	out           reflect.Type
	handle        gin.HandlerFunc
}

// mountOpen registers the open routes.
func (s *Server) mountOpen(engine *gin.Engine) {
	for _, r := range s.open() {
		engine.GET(r.path, r.handle)
		engine.HEAD(r.path, r.handle)
	}
	engine.OPTIONS(read.ResolvePath, s.resolvePreview)
}

func (s *Server) healthz(g *gin.Context) { s.write(g, reply{http.StatusOK, wire.Health{Status: "ok"}}) }

func (s *Server) readyz(g *gin.Context) {
	if reasons := s.Ready(); len(reasons) > 0 {
		s.write(g, reply{http.StatusServiceUnavailable, wire.Health{Status: "unready", Reasons: reasons}})
		return
	}
	s.write(g, reply{http.StatusOK, wire.Health{Status: "ready"}})
}

// capabilities are the flags by which clients find out what a deployment can do (contract, "Versioning"). Those of the contract that
// are not built yet are false.
var capabilities = map[string]bool{
	"change-sets.checks.policy": false,
	"change-sets.diff.words":    true,
	"change-sets.rebase":        true,
	"change-sets.validate":      true,
	"entries.contention":        true,
	"entries.import":            true,
	"entries.import.ndjson":     true,
	"entries.reorder":           true,
	"previews":                  true,
	"projects.pin":              true,
	"reads.at":                  true,
	"reads.include":             true,
	"reads.min-release":         true,
	"reads.references":          true,
	"reads.rendered":            true,
	"reads.search":              true,
	"releases.revert":           true,
	"requests.idempotency-key":  true,
}

func (s *Server) meta(g *gin.Context) {
	s.write(g, reply{http.StatusOK, wire.Envelope[wire.Meta]{Data: wire.Meta{Version: 1, Capabilities: capabilities}}})
}

// liveEvents is what the OpenAPI document says of a stream of live events. Edges send them (package edge/live).
const liveEvents = `Server-sent events, answered by edges; core answers 503 for a project that it has. The type of an event says what ` +
	`its data means, and its id is the position of the change, the same on every edge: with Last-Event-ID a stream goes on behind it, ` +
	`with every event once and in order. "release": a release, with its number, the time it was published, and the tags of its collections ` +
	`and entries; if those are more than 200, the tag of the project stands for them. "change": settings, schemas or editorial order changed; release is what ` +
	`reads answer from now. "start": the position of a stream that names no event. "reset": events may be missing, so read again what is ` +
	`shown. A tag is the id of a project, prj_…/ and the key of a collection, or the id of an entry. Only tags that the caller may read ` +
	`are sent, and no event of which none is left; private collections need a key with content:read. The stream ends when the caller's ` +
	`rights do. A comment line comes every 15 seconds.`

// document makes the OpenAPI document of all routes.
func (s *Server) document() ([]byte, error) {
	var all []openapi.Operation
	for _, r := range routes() {
		all = append(all, r.operation())
	}
	for _, r := range publicReads() {
		op := openapi.Operation{
			Method: http.MethodGet, Path: r.path, Summary: r.summary, Access: openapi.Mixed, Query: r.kind.Accepted(),
			Headers: []string{"If-None-Match", "svc-min-release"}, Out: r.out, Keyed: r.keyed, Caching: true,
		}
		if r.kind == query.RouteLive {
			op.Headers, op.Caching, op.Events = []string{"Last-Event-ID", "svc-min-release"}, false, liveEvents
		}
		all = append(all, op)
	}
	for _, r := range s.open() {
		all = append(all, openapi.Operation{Method: http.MethodGet, Path: r.path, Summary: r.summary, Access: openapi.Anyone, Query: r.query, Out: r.out})
	}
	return openapi.Document(all)
}

func (r *route) operation() openapi.Operation {
	op := openapi.Operation{
		Method: r.method, Path: r.path, Summary: r.summary, Scope: r.scope, Query: r.query, In: r.do.in, Lines: r.do.line, Out: r.do.out, Status: r.success(),
	}
	if r.method != get {
		op.Headers = append(op.Headers, "Idempotency-Key")
	}
	if r.is(waits) {
		op.Headers = append(op.Headers, "Prefer")
	}
	return op
}

// openapi answers with the document, which is made once.
func (s *Server) openapi(g *gin.Context) {
	document, err := s.described()
	if err != nil {
		s.problem(g, err)
		return
	}
	s.write(g, reply{http.StatusOK, kept(document)})
}

// mountAssets sends requests for assets to where they are delivered, with the same path (decisions on origins).
func (s *Server) mountAssets(engine *gin.Engine) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		engine.Handle(method, "/assets/*path", s.redirectAsset)
	}
}

func (s *Server) redirectAsset(g *gin.Context) {
	to, err := url.Parse(s.AssetURL)
	// An address that leads back here would lead in circles.
	if s.AssetURL == "" || err != nil || strings.EqualFold(to.Host, g.Request.Host) {
		s.problem(g, fault.New(fault.NotFound, "assets are not delivered here"))
		return
	}
	at := strings.TrimRight(s.AssetURL, "/") + g.Request.URL.EscapedPath()
	if raw := g.Request.URL.RawQuery; raw != "" {
		at += "?" + raw
	}
	g.Header("Cache-Control", "no-store")
	g.Header("Location", at)
	send(g, http.StatusTemporaryRedirect, nil)
}

// mountInternal registers the routes between core and edges. They check the cluster's secret themselves and know no
// organizations or scopes.
func (s *Server) mountInternal(engine *gin.Engine) {
	engine.Any("/internal/*path", func(g *gin.Context) {
		ctx, cancel := context.WithTimeout(g.Request.Context(), s.times.internal)
		defer cancel()
		s.Internal.ServeHTTP(g.Writer, g.Request.WithContext(ctx))
	})
}
