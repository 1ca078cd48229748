// Package cors knows origins in the form in which browsers send them.
package cors

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Canonical brings an origin, or any address, to the form of the Origin header: scheme://host[:port] in lower case, the host in
// punycode or as an IP address, without the port that the scheme implies. Path and query are ignored. It reports false where
// no browser sends such an origin: another scheme than http and https, "null", a user, a wildcard, a host that has no such form.
func Canonical(s string) (string, bool) {
	if isPlain(s) {
		return s, true
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	host, ok := canonicalHost(u)
	if !ok {
		return "", false
	}
	if u.Port() == "" {
		return u.Scheme + "://" + host, true
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return "", false
	}
	if port == 80 && u.Scheme == "http" || port == 443 && u.Scheme == "https" {
		return u.Scheme + "://" + host, true
	}
	return fmt.Sprintf("%s://%s:%d", u.Scheme, host, port), true
}

// isPlain recognises the common canonical form at once: a short lower-case name that nothing has to be done about.
func isPlain(s string) bool {
	host, found := strings.CutPrefix(s, "https://")
	if !found {
		host, found = strings.CutPrefix(s, "http://")
	}
	if !found || len(host) > 63 || strings.Contains(host, "--") {
		return false
	}
	label := byte('.') // the first character of the last label; a dot before it is there
	for i := 0; i < len(host); i++ {
		c := host[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
			if label == '.' {
				label = c
			}
		case c == '.' && label != '.':
			label = c
		default:
			return false
		}
	}
	return 'a' <= label && label <= 'z'
}

// hosts is how browsers bring names to ASCII (WHATWG URL, "domain to ASCII"). Names too long for the DNS are refused beyond that.
var hosts = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckHyphens(false), idna.VerifyDNSLength(true))

func canonicalHost(u *url.URL) (string, bool) {
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", false
		}
		if addr.Is4In6() { // netip writes the end in decimal
			b := addr.As16()
			return fmt.Sprintf("[::ffff:%x:%x]", uint16(b[12])<<8|uint16(b[13]), uint16(b[14])<<8|uint16(b[15])), true
		}
		return "[" + addr.String() + "]", true
	}
	if !utf8.ValidString(name) {
		return "", false
	}
	name, err := hosts.ToASCII(name)
	if err != nil || strings.ContainsFunc(name, func(c rune) bool { return !inName(c) }) {
		return "", false
	}
	if bare := strings.TrimSuffix(name, "."); isNumber(bare[strings.LastIndexByte(bare, '.')+1:]) {
		addr, err := netip.ParseAddr(bare)
		return addr.String(), err == nil
	}
	return name, true
}

func inName(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// isNumber tells whether a host that ends in this label is an IPv4 address or nothing.
func isNumber(label string) bool {
	if rest, found := strings.CutPrefix(label, "0x"); found {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
