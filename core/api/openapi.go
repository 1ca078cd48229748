package api

import (
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"svc/core/openapi"
	"svc/core/wire"
)

// open are the routes that take no credential.
func (s *Server) open() []openRoute {
	return []openRoute{
		{"/healthz", "Tell that the process is alive", reflect.TypeFor[wire.Health](), s.healthz},
		{"/readyz", "Tell whether the process should get traffic", reflect.TypeFor[wire.Health](), s.readyz},
		{"/v1/meta", "List what the deployment can do", reflect.TypeFor[wire.Envelope[wire.Meta]](), s.meta},
		{"/openapi.json", "Describe the API", reflect.TypeFor[map[string]any](), s.openapi},
	}
}

type openRoute struct {
	path, summary string
	out           reflect.Type
	handle        gin.HandlerFunc
}

// mountOpen registers the open routes.
func (s *Server) mountOpen(engine *gin.Engine) {
	for _, r := range s.open() {
		engine.GET(r.path, r.handle)
		engine.HEAD(r.path, r.handle)
	}
}

// document makes the OpenAPI document of all routes.
func (s *Server) document() ([]byte, error) {
	var all []openapi.Operation
	for _, r := range routes() {
		all = append(all, r.operation())
	}
	for _, r := range publicReads() {
		all = append(all, openapi.Operation{
			Method: http.MethodGet, Path: r.path, Summary: r.summary, Access: openapi.Mixed, Query: r.kind.Served(),
			Headers: []string{"If-None-Match", "svc-min-release"}, Out: r.out, Keyed: r.keyed, Caching: true,
		})
	}
	for _, r := range s.open() {
		all = append(all, openapi.Operation{Method: http.MethodGet, Path: r.path, Summary: r.summary, Access: openapi.Anyone, Out: r.out})
	}
	return openapi.Document(all)
}

func (r *route) operation() openapi.Operation {
	op := openapi.Operation{
		Method: r.method, Path: r.path, Summary: r.summary, Scope: r.scope, Query: r.query, In: r.do.in, Out: r.do.out, Status: r.do.status,
	}
	if r.do.body == ownBody {
		op.Lines = reflect.TypeFor[wire.ImportRow]()
	}
	if r.method != get {
		op.Headers = append(op.Headers, "Idempotency-Key")
	}
	if r.do.waits {
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
