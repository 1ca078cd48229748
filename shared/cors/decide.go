package cors

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Verdict says whether pages of an origin may read answers, and why (contract, "CORS").
type Verdict string

const (
	Listed   Verdict = "listed"   // it is one of the allowed origins
	Local    Verdict = "local"    // it is on this machine, and such origins may read too
	Unlisted Verdict = "unlisted" // it is none of them
	NoOrigin Verdict = "none"     // no browser sends such an origin
)

// Allows reports whether the origin may read.
func (v Verdict) Allows() bool { return v == Listed || v == Local }

// Decide brings an origin to its canonical form, which is empty where it has none, and compares it with the allowed ones, which are
// in that form. Where local is true every origin on this machine may read too.
func Decide(origin string, allowed []string, local bool) (canonical string, v Verdict) {
	canonical, ok := Canonical(origin)
	switch {
	case !ok:
		return "", NoOrigin
	case slices.Contains(allowed, canonical):
		return canonical, Listed
	case local && isLocal(canonical):
		return canonical, Local
	}
	return canonical, Unlisted
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
