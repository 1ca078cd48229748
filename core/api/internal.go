package api

import (
	"context"

	"github.com/gin-gonic/gin"
)

// mountInternal registers the routes between core and edges. They check the cluster's secret themselves and know no
// organizations or scopes.
func (s *Server) mountInternal(engine *gin.Engine) {
	engine.Any("/internal/*path", func(g *gin.Context) {
		ctx, cancel := context.WithTimeout(g.Request.Context(), s.times.internal)
		defer cancel()
		s.Internal.ServeHTTP(g.Writer, g.Request.WithContext(ctx))
	})
}
