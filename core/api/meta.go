package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/core/wire"
)

// capabilities are the flags by which clients find out what a deployment can do (contract, "Versioning"). Those of the contract that
// are not built yet are false.
var capabilities = map[string]bool{
	"change-sets.checks.policy": false,
	"change-sets.diff.words":    false,
	"change-sets.validate":      true,
	"entries.contention":        false,
	"entries.import":            true,
	"entries.import.ndjson":     true,
	"entries.reorder":           true,
	"projects.pin":              true,
	"reads.at":                  true,
	"reads.min-release":         true,
	"requests.idempotency-key":  true,
}

func (s *Server) meta(g *gin.Context) {
	s.write(g, reply{http.StatusOK, wire.Envelope[wire.Meta]{Data: wire.Meta{Version: 1, Capabilities: capabilities}}})
}
