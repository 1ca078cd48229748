package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/shared/fault"
)

// mountAssets sends requests for assets to where they are delivered, with the same path (decisions on origins).
func (s *Server) mountAssets(engine *gin.Engine) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		engine.Handle(method, "/assets/*path", s.redirectAsset)
	}
}

func (s *Server) redirectAsset(g *gin.Context) {
	to, err := url.Parse(s.AssetURL)
	// An address that leads back here would lead in circles.
	if s.AssetURL == "" || err != nil || strings.EqualFold(to.Host, g.Request.Host) {
		s.problem(g, fault.New(fault.NotFound, "assets are not delivered here"))
		return
	}
	at := strings.TrimRight(s.AssetURL, "/") + g.Request.URL.EscapedPath()
	if raw := g.Request.URL.RawQuery; raw != "" {
		at += "?" + raw
	}
	g.Header("Cache-Control", "no-store")
	g.Header("Location", at)
	send(g, http.StatusTemporaryRedirect, nil)
}
