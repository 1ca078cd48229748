package server

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"
)

// health answers what tells about the edge itself.
func (s *Server) health(ctx *fasthttp.RequestCtx, t target, id string) {
	switch {
	case !ctx.IsGet() && !ctx.IsHead():
		s.refuse(ctx, wrongMethod(ctx, ownMethods), id)
	case string(t.path) == "/healthz":
		writeJSON(ctx, fasthttp.StatusOK, `{"status":"ok"}`)
	default:
		s.ready(ctx)
	}
}

// ready tells a balancer whether to send traffic here: 200, or 503 with the reasons.
func (s *Server) ready(ctx *fasthttp.RequestCtx) {
	reasons := s.Status.Unready()
	if s.stopping.Load() {
		reasons = append(reasons, "stopping")
	}
	if len(reasons) == 0 {
		writeJSON(ctx, fasthttp.StatusOK, `{"status":"ready"}`)
		return
	}
	body, err := json.Marshal(struct {
		Status  string   `json:"status"`
		Reasons []string `json:"reasons"`
	}{"unready", reasons})
	if err != nil {
		panic(fmt.Sprintf("reasons do not marshal: %v", err))
	}
	writeJSON(ctx, fasthttp.StatusServiceUnavailable, string(body))
}

func writeJSON(ctx *fasthttp.RequestCtx, status int, body string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.SetBodyString(body)
}
