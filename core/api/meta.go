package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// capabilities are the flags by which clients find out what a deployment can do (interface, "Versioning"). A flag
// appears together with what it stands for.
var capabilities = []string{
	"change-sets.validate",
	"entries.import",
	"entries.import.ndjson",
	"entries.reorder",
	"projects.pin",
	"reads.at",
	"reads.min-release",
	"requests.idempotency-key",
}

type metaBody struct {
	Version      int      `json:"version"` // of the API, as in /v1
	Capabilities []string `json:"capabilities"`
}

func (s *Server) meta(g *gin.Context) {
	s.write(g, reply{http.StatusOK, envelope[metaBody]{metaBody{1, capabilities}}})
}
