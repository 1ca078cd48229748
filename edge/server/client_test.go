package server

import (
	"net/http"
	"net/netip"
	"testing"

	"svc/edge/limit"
	"svc/shared/read/readtest"
)

// TestReadsCountUnderTheirClient: whatever a request says of where it comes from, it counts under the right-most address that no
// trusted proxy has. The peer is 127.0.0.1 here.
func TestReadsCountUnderTheirClient(t *testing.T) {
	t.Parallel()
	const forwarded = "X-Forwarded-For: "
	for _, c := range []struct {
		name    string
		trusted []string
		headers []string
		want    string   // whom the request counts under
		not     []string // and whom it does not
	}{
		{"no proxy is trusted, and a header is forged", nil, []string{forwarded + "203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"no proxy is trusted, and the header names the peer", nil, []string{forwarded + "127.0.0.1, 203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"another proxy is trusted", []string{"10.0.0.0/8"}, []string{forwarded + "203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"a forged Forwarded", []string{"127.0.0.1"}, []string{"Forwarded: for=203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"a forged Forwarded beside the proxy's header", []string{"127.0.0.1"}, []string{"Forwarded: for=203.0.113.5", forwarded + "198.51.100.7"}, "198.51.100.7", []string{"203.0.113.5"}},
		{"a forged X-Real-IP", []string{"127.0.0.1"}, []string{"X-Real-IP: 203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"forged headers of other makers", []string{"127.0.0.1"}, []string{"True-Client-IP: 203.0.113.5", "CF-Connecting-IP: 203.0.113.6", "X-Client-IP: 203.0.113.7", "X-Cluster-Client-IP: 203.0.113.8"}, "127.0.0.1", []string{"203.0.113.5", "203.0.113.6", "203.0.113.7", "203.0.113.8"}},
		{"a trusted proxy", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5"}, "203.0.113.5", []string{"127.0.0.1"}},
		{"a trusted range", []string{"127.0.0.0/8"}, []string{forwarded + "203.0.113.5"}, "203.0.113.5", []string{"127.0.0.1"}},
		{"a forged part before the proxy's", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5, 198.51.100.7"}, "198.51.100.7", []string{"203.0.113.5"}},
		{"many forged parts", []string{"127.0.0.1"}, []string{forwarded + "1.1.1.1, 2.2.2.2, 3.3.3.3, 198.51.100.7"}, "198.51.100.7", []string{"1.1.1.1", "2.2.2.2", "3.3.3.3"}},
		{"a forged part that names a trusted proxy", []string{"127.0.0.1", "10.0.0.0/8"}, []string{forwarded + "10.0.0.9, 198.51.100.7"}, "198.51.100.7", []string{"10.0.0.9"}},
		{"two trusted proxies", []string{"127.0.0.1", "10.0.0.0/8"}, []string{forwarded + "203.0.113.5, 198.51.100.7, 10.0.0.9"}, "198.51.100.7", []string{"203.0.113.5", "10.0.0.9"}},
		{"nothing but trusted proxies", []string{"127.0.0.1", "10.0.0.0/8"}, []string{forwarded + "10.0.0.8, 10.0.0.9"}, "10.0.0.8", []string{"10.0.0.9"}},
		{"a forged header line before the proxy's", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5", forwarded + "198.51.100.7"}, "198.51.100.7", []string{"203.0.113.5"}},
		{"no address at the end", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5, unknown"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"nothing at the end", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5,"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"an address with a port", []string{"127.0.0.1"}, []string{forwarded + "203.0.113.5:1234"}, "127.0.0.1", []string{"203.0.113.5"}},
		{"an address of three numbers", []string{"127.0.0.1"}, []string{forwarded + "203.0.113"}, "127.0.0.1", []string{"203.0.0.113"}},
		{"an address with zeros before it", []string{"127.0.0.1"}, []string{forwarded + "0203.0.113.5"}, "127.0.0.1", []string{"203.0.113.5", "131.0.113.5"}},
		{"an IPv4 address in IPv6", []string{"127.0.0.1"}, []string{forwarded + "::ffff:203.0.113.5"}, "203.0.113.5", []string{"127.0.0.1"}},
		{"an IPv6 address in brackets", []string{"127.0.0.1"}, []string{forwarded + "[2001:db8::5]"}, "127.0.0.1", []string{"2001:db8::5"}},
		{"another address of the same /64", []string{"127.0.0.1"}, []string{forwarded + "2001:db8:1:2:ffff:ffff:ffff:ffff"}, "2001:db8:1:2::1", []string{"2001:db8:1:3::1"}},
		{"an IPv6 address with a zone", []string{"127.0.0.1"}, []string{forwarded + "fe80::5%25"}, "fe80::9", []string{"127.0.0.1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			proxies, err := limit.Config{TrustedProxies: c.trusted}.Proxies()
			if err != nil {
				t.Fatal(err)
			}
			status := func(spent ...string) int {
				m := readtest.NewMemory()
				shop(t, m, true)
				limiter := limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 1}, nil)
				for _, address := range spent {
					limiter.Allow(netip.MustParseAddr(address), string(readtest.Project(1)))
				}
				return startOn(t, m, noCore(t), Config{Limiter: limiter, Proxies: proxies}).read(t, "shop", "/posts/entries", c.headers...).StatusCode
			}
			if got := status(c.want); got != http.StatusTooManyRequests {
				t.Errorf("after a read of %s it answers %d", c.want, got)
			}
			if got := status(c.not...); got != http.StatusOK {
				t.Errorf("after reads of %s it answers %d", c.not, got)
			}
		})
	}
}

// TestANetworkCannotRotateItsAddresses: the addresses of a /64 count as one, and its /48 admits four times as much.
func TestANetworkCannotRotateItsAddresses(t *testing.T) {
	t.Parallel()
	m := readtest.NewMemory()
	shop(t, m, true)
	proxies, err := limit.Config{TrustedProxies: []string{"127.0.0.1"}}.Proxies()
	if err != nil {
		t.Fatal(err)
	}
	const burst = 5
	s := startOn(t, m, noCore(t), Config{Proxies: proxies, Limiter: limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: burst}, nil)})
	admitted := func(network netip.Addr, host, subnet int) (n int) {
		for i := range 3 * burst {
			b := network.As16()
			b[15] += byte(i * host)
			b[7] += byte(i * subnet)
			if s.read(t, "shop", "/posts/entries", "X-Forwarded-For: "+netip.AddrFrom16(b).String()).StatusCode == http.StatusOK {
				n++
			}
		}
		return n
	}
	if got := admitted(netip.MustParseAddr("2001:db8:1:1::1"), 1, 0); got != burst {
		t.Errorf("the addresses of a /64 were admitted %d times, and its burst is %d", got, burst)
	}
	if got := admitted(netip.MustParseAddr("2001:db8:1:2::1"), 0, 1) + admitted(netip.MustParseAddr("2001:db8:1:100::1"), 1, 1); got != 3*burst {
		t.Errorf("the other networks of the /48 were admitted %d times, and it has %d left", got, 3*burst)
	}
	if got := admitted(netip.MustParseAddr("2001:db8:2:1::1"), 1, 0); got != burst {
		t.Errorf("another /48 was admitted %d times", got)
	}
}
