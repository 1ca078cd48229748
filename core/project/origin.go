package project

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"svc/shared/fault"
)

const maxOrigins = 100

// canonicalOrigins brings origins to the form scheme://host[:port], each once, in their order.
func canonicalOrigins(in []string) ([]string, error) {
	if len(in) > maxOrigins {
		return nil, fault.Invalid("allowedOrigins", "must have at most %d members; it has %d", maxOrigins, len(in))
	}
	out := []string{}
	for i, text := range in {
		origin, ok := canonicalOrigin(text)
		if !ok {
			return nil, fault.Invalid(fmt.Sprintf("allowedOrigins[%d]", i), "must be an origin, such as https://www.example.com or http://localhost:3000")
		}
		if !slices.Contains(out, origin) {
			out = append(out, origin)
		}
	}
	return out, nil
}

// canonicalOrigin lowers scheme and host, leaves out the port that the scheme implies, and ignores path and query.
func canonicalOrigin(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return "", false
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme != "http" && scheme != "https" || host == "" || strings.ContainsAny(host, "*%\\ ") {
		return "", false
	}
	if strings.Contains(host, ":") {
		if net.ParseIP(host) == nil {
			return "", false
		}
		host = "[" + host + "]"
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return scheme + "://" + host, true
	}
	return scheme + "://" + host + ":" + port, true
}
