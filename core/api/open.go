package api

import (
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

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
	"change-sets.diff.words":    false,
	"change-sets.validate":      true,
	"entries.contention":        false,
	"entries.import":            true,
	"entries.import.ndjson":     true,
	"entries.reorder":           true,
	"projects.pin":              true,
	"reads.at":                  true,
	"reads.min-release":         true,
	"requests.idempotency-key":  true,
}

func (s *Server) meta(g *gin.Context) {
	s.write(g, reply{http.StatusOK, wire.Envelope[wire.Meta]{Data: wire.Meta{Version: 1, Capabilities: capabilities}}})
}
