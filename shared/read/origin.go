package read

import (
	"net/netip"
	"net/url"
	"strings"

	"svc/shared/cors"
)

const (
	allowedMethods = "GET, HEAD, OPTIONS"
	allowedHeaders = "authorization, if-none-match, svc-min-release"
	exposedHeaders = "etag, svc-release, svc-request-id, ratelimit, retry-after"
	vary           = "Origin, Accept-Encoding"
	preflightAge   = "600" // seconds
)

// allowOrigin is the CORS step: an allowed origin is named, any other gets no header.
func (x *exchange) allowOrigin() {
	if x.req.Origin == "" {
		return
	}
	origin := canonicalOrigin(x.req.Origin)
	if origin == "" {
		return
	}
	if x.LocalOrigins && isLocal(origin) {
		x.expose()
		return
	}
	for _, allowed := range x.project.AllowedOrigins {
		if allowed == origin || canonicalOrigin(allowed) == origin {
			x.expose()
			return
		}
	}
}

func (x *exchange) expose() {
	x.resp.set("Access-Control-Allow-Origin", x.req.Origin)
	if x.req.Method != "OPTIONS" {
		x.resp.set("Access-Control-Expose-Headers", exposedHeaders)
	}
}

// preflight answers OPTIONS. It needs no credential, since browsers send none with it.
func (x *exchange) preflight() {
	allowed := len(x.resp.Headers) > 0
	x.resp.Status = 204
	x.resp.set("Allow", allowedMethods)
	x.resp.set("Vary", vary)
	if allowed {
		x.resp.set("Access-Control-Allow-Methods", allowedMethods)
		x.resp.set("Access-Control-Allow-Headers", allowedHeaders)
		x.resp.set("Access-Control-Max-Age", preflightAge)
	}
}

// canonicalOrigin is empty for what is no origin, such as "null".
func canonicalOrigin(s string) string {
	origin, _ := cors.Canonical(s)
	return origin
}

// isLocal reports whether a canonical origin is on this machine: localhost, a name below it, or a loopback address.
func isLocal(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
