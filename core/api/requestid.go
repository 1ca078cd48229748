package api

import (
	"github.com/gin-gonic/gin"

	"svc/shared/telemetry"
)

// identify gives every request its id, and every answer the header that carries it.
func identify(g *gin.Context) {
	id := telemetry.RequestID(g.GetHeader("traceparent"), g.GetHeader(telemetry.RequestIDHeader))
	g.Set(telemetry.RequestIDHeader, id)
	g.Header(telemetry.RequestIDHeader, id)
	g.Next()
}

func requestID(g *gin.Context) string { return g.GetString(telemetry.RequestIDHeader) }
