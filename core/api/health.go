package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// mountHealth registers what tells about the process itself and about the build.
func (s *Server) mountHealth(engine *gin.Engine) {
	engine.GET("/healthz", func(g *gin.Context) { g.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	engine.GET("/readyz", func(g *gin.Context) {
		if reasons := s.Ready(); len(reasons) > 0 {
			g.JSON(http.StatusServiceUnavailable, gin.H{"status": "unready", "reasons": reasons})
			return
		}
		g.JSON(http.StatusOK, gin.H{"status": "ready"})
	})
	engine.GET("/metrics", gin.WrapH(s.Metrics))
	engine.GET("/v1/meta", func(g *gin.Context) { s.write(g, one(meta())) })
}

// meta is how clients detect what a deployment can do (interface, "Versioning").
func meta() any {
	return struct {
		Version      int      `json:"version"`
		Capabilities []string `json:"capabilities"`
	}{1, []string{}}
}
