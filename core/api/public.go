package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/query"
	"svc/shared/read"
)

// publicRead is a route of the read engine.
type publicRead struct {
	path, summary string
	kind          query.Route
	out, keyed    reflect.Type // keyed is what callers with more rights get, where that is something else
}

func publicReads() []publicRead {
	const coll = "/v1/projects/:project/collections"
	return []publicRead{
		{coll, "List the public collections; with schema:read all of them, with their schemas", query.RouteCollections, reflect.TypeFor[wire.List[wire.PublicCollection]](), reflect.TypeFor[wire.List[wire.Collection]]()},
		{coll + "/:collection/entries", "List published entries", query.RouteList, reflect.TypeFor[wire.List[wire.PublicEntry]](), nil},
		{coll + "/:collection/entries/:slug", "Read a published entry", query.RouteEntry, reflect.TypeFor[wire.Envelope[wire.PublicEntry]](), nil},
		{coll + "/:collection/entries/:slug/references", "List the published entries in public collections that refer to an entry", query.RouteBacklinks, reflect.TypeFor[wire.Envelope[wire.Backlinks]](), nil},
		{coll + "/:collection/singleton", "Read a published singleton", query.RouteSingleton, reflect.TypeFor[wire.Envelope[wire.PublicEntry]](), nil},
		{"/v1/projects/:project/live", "Follow releases and other changes of a project as they happen", query.RouteLive, reflect.TypeFor[wire.LiveEvent](), nil},
	}
}

// mountReads registers the public reads: the same code as on an edge, over PostgreSQL.
func (s *Server) mountReads(engine *gin.Engine) {
	for _, r := range publicReads() {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
			engine.Handle(method, r.path, func(g *gin.Context) { s.read(g, r.kind) })
		}
	}
}

func (s *Server) read(g *gin.Context, kind query.Route) {
	h := g.Request.Header
	var atLeast *string
	if values := h["Svc-Min-Release"]; values != nil {
		atLeast = new(strings.Join(values, ","))
	}
	ctx, _, end := limited(g.Request, s.times.read)
	defer end()
	response := s.Reader.Serve(ctx, &read.Request{
		Method: g.Request.Method, Route: kind, RawQuery: g.Request.URL.RawQuery,
		Project: g.Param("project"), Collection: g.Param("collection"), Ref: g.Param("slug"),
		Authorization: joined(h, "Authorization"), Origin: joined(h, "Origin"), IfNoneMatch: joined(h, "If-None-Match"),
		AcceptEncoding: joined(h, "Accept-Encoding"), MinRelease: atLeast, RequestID: requestID(g),
	})
	defer response.Release()
	for _, header := range response.Headers {
		g.Header(header.Name, header.Value)
	}
	if response.Forward {
		s.beyondReads(g)
		return
	}
	if response.Err != nil {
		if ctx.Err() != nil {
			s.problem(g, late(ctx, response.Err))
			return
		}
		s.report(g, response.Err)
	}
	s.give(g, response.Status, response.Body, response.Held())
}

// beyondReads answers what the read engine leaves to management: the collections of a caller who may see schemas.
func (s *Server) beyondReads(g *gin.Context) {
	s.answer(g, &route{method: get, scope: credential.SchemaRead, do: bare(plain(listCollections))})
}

// readable gives a refusal of a read that the engine did not make what all answers of a public route carry, so that browsers can
// read it.
func (s *Server) readable(g *gin.Context, status int) {
	r := g.Request
	if r.URL.Path == read.ResolvePath {
		anyOrigin(g)
		return
	}
	if g.Writer.Header().Get("Vary") != "" || changes(r.Method) && status != http.StatusMethodNotAllowed {
		return
	}
	path, ok := read.ParsePath([]byte(r.URL.EscapedPath()))
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.times.read)
	defer cancel()
	asked := &read.Request{
		Method: r.Method, Route: path.Route, Project: path.Project, RawQuery: r.URL.RawQuery,
		Authorization: joined(r.Header, "Authorization"), Origin: joined(r.Header, "Origin"),
	}
	for _, h := range s.Reader.Headers(ctx, asked) {
		g.Header(h.Name, h.Value)
	}
}

func joined(h http.Header, name string) string { return strings.Join(h[name], ",") }
