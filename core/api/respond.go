package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"svc/shared/fault"
	"svc/shared/problem"
)

// write sends an answer.
func (s *Server) write(g *gin.Context, r reply) {
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	g.Header("Cache-Control", "no-store")
	if kept, ok := r.body.(stored); ok {
		g.Data(status, kept.contentType, kept.body)
		return
	}
	if r.body == nil {
		g.Status(http.StatusNoContent)
		return
	}
	body, err := json.Marshal(r.body)
	if err != nil {
		s.problem(g, requestID(g), fault.Wrap(err, "encoding an answer"))
		return
	}
	g.Data(status, "application/json", body)
}

// problem sends a failure and, where it is the service's own, logs its cause once.
func (s *Server) problem(g *gin.Context, id string, err error) {
	f := fault.As(err)
	switch f.Code {
	case fault.Internal:
		s.Logger.Error("a request failed", "requestId", id, "method", g.Request.Method, "path", g.FullPath(), "error", err)
	case fault.Unavailable:
		s.Logger.Warn("a request could not be served", "requestId", id, "path", g.FullPath(), "error", err)
	}
	answer := problem.Render(err, id)
	for _, h := range answer.Headers {
		g.Header(h.Name, h.Value)
	}
	g.Data(answer.Status, problem.ContentType, answer.Body)
}
