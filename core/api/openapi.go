package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/core/openapi"
)

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
		Method: r.method, Path: r.path, Summary: r.summary, Scope: r.scope, Query: r.query, In: r.do.in, Lines: r.do.line, Out: r.do.out, Status: r.do.status,
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
