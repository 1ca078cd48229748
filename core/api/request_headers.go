package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/shared/fault"
	"svc/shared/telemetry"
)

// maxHead is the largest head of a request in bytes, the same as on an edge. What edges add to a request that they
// pass on does not count.
const maxHead = 16 << 10

// everyMethod is what the service takes as a whole.
const everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// checkHead refuses requests that an edge refuses too, and gives their connections up.
func (s *Server) checkHead(g *gin.Context) {
	r := g.Request
	status, why := 0, ""
	switch {
	case headSize(r) > maxHead:
		status, why = http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("the head of the request is larger than %d KiB", maxHead>>10)
	case r.ProtoMajor != 1: // net/http lets the preface of HTTP/2 through
		why = "the version of the request must be HTTP/1.1 or HTTP/1.0"
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength != 0:
		why = "a " + r.Method + " request takes no body"
	case strings.Contains(r.RequestURI, "#"): // net/http takes it for a part of the path or the query
		why = "the target of a request must not have a fragment"
	case r.RequestURI == "*" && r.Method != http.MethodOptions:
		why = "the request is not well-formed HTTP"
	case r.RequestURI == "*":
		g.Header("Allow", everyMethod)
		send(g, http.StatusNoContent, nil)
		g.Abort()
		return
	default:
		return
	}
	g.Header("Connection", "close")
	s.problemAs(g, status, fault.New(fault.ValidationFailed, "%s", why))
	g.Abort()
}

// headSize is the size of a head in its plainest form.
func headSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len("  HTTP/1.1\r\n\r\n")
	size += len("Host: \r\n") + len(r.Host)
	for name, values := range r.Header {
		if name == "X-Forwarded-For" || name == "X-Forwarded-Host" || strings.EqualFold(name, telemetry.RequestIDHeader) {
			continue
		}
		for _, v := range values {
			size += len(name) + len(": \r\n") + len(v)
		}
	}
	return size
}
