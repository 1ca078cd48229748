package read

import (
	"net/netip"
	"net/url"
	"strings"
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

// canonicalOrigin reduces an origin, or any address, to scheme://host[:port] in lower case, without the port that
// the scheme implies. It is empty where there is no such form, as for "null".
func canonicalOrigin(s string) string {
	if isCanonical(s) {
		return s
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme != "http" && scheme != "https" {
		return ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// isCanonical recognises the common form, which browsers send: a lower-case name without a port.
func isCanonical(s string) bool {
	host, found := strings.CutPrefix(s, "https://")
	if !found {
		host, found = strings.CutPrefix(s, "http://")
	}
	if !found || host == "" {
		return false
	}
	for i := 0; i < len(host); i++ {
		c := host[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
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
