package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
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

type healthBody struct {
	Status  string   `json:"status"`
	Reasons []string `json:"reasons,omitempty"` // why there should be no traffic
}

func (s *Server) healthz(g *gin.Context) { s.write(g, reply{http.StatusOK, healthBody{Status: "ok"}}) }

func (s *Server) readyz(g *gin.Context) {
	if reasons := s.Ready(); len(reasons) > 0 {
		s.write(g, reply{http.StatusServiceUnavailable, healthBody{"unready", reasons}})
		return
	}
	s.write(g, reply{http.StatusOK, healthBody{Status: "ready"}})
}
