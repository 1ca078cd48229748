package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/core/wire"
)

func (s *Server) healthz(g *gin.Context) { s.write(g, reply{http.StatusOK, wire.Health{Status: "ok"}}) }

func (s *Server) readyz(g *gin.Context) {
	if reasons := s.Ready(); len(reasons) > 0 {
		s.write(g, reply{http.StatusServiceUnavailable, wire.Health{Status: "unready", Reasons: reasons}})
		return
	}
	s.write(g, reply{http.StatusOK, wire.Health{Status: "ready"}})
}
