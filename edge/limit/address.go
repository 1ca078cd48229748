package limit

import (
	"net/netip"
	"strings"
)

// Proxies are the address ranges whose word on a client's address is believed.
type Proxies []netip.Prefix

// Client returns the address to count a request under: the right-most one of the peer and X-Forwarded-For that is
// not a trusted proxy. A malformed part ends the walk at the last believable address.
func (p Proxies) Client(peer netip.Addr, forwardedFor string) netip.Addr {
	client := peer.Unmap()
	rest := forwardedFor
	for p.trusts(client) && rest != "" {
		var last string
		if i := strings.LastIndexByte(rest, ','); i >= 0 {
			rest, last = rest[:i], rest[i+1:]
		} else {
			rest, last = "", rest
		}
		addr, err := netip.ParseAddr(strings.TrimSpace(last))
		if err != nil {
			break
		}
		client = addr.Unmap().WithZone("")
	}
	return client
}

func (p Proxies) trusts(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

const (
	nearBits = 64
	wideBits = 48
)

// groups returns what counts together: an IPv4 address, or an IPv6 /64 and, more loosely, its /48.
func groups(a netip.Addr) (near, wide netip.Prefix) {
	if a.Is4() {
		return netip.PrefixFrom(a, 32), netip.Prefix{}
	}
	near, _ = a.Prefix(nearBits)
	wide, _ = a.Prefix(wideBits)
	return near, wide
}
