package api

import "github.com/gin-gonic/gin"

// mountInternal registers the routes between core and edges. They check the cluster's secret themselves and know no
// organizations or scopes.
func (s *Server) mountInternal(engine *gin.Engine) {
	engine.Any("/internal/*path", gin.WrapH(s.Internal))
}
