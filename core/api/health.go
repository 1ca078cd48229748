package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/core/wire"
)

// mountHealth registers what tells about the process itself and about the build.
func (s *Server) mountHealth(engine *gin.Engine) {
	for path, handle := range map[string]gin.HandlerFunc{
		"/healthz": s.healthz, "/readyz": s.readyz, "/v1/meta": s.meta,
	} {
		engine.GET(path, handle)
		engine.HEAD(path, handle)
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
