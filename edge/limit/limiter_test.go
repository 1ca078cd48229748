package limit

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"svc/shared/testrand"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newTest(rate float64, burst int) (*Limiter, *clock) {
	c := &clock{time.Unix(1_000_000, 0)}
	return New(Policy{Name: "reads", Rate: rate, Burst: burst}, c.now), c
}

// size is how many keys a limiter keeps.
func (l *Limiter) size() (n int) {
	for i := range l.shards {
		n += len(l.shards[i].keys)
	}
	return n
}

var v4 = netip.MustParseAddr("192.0.2.1")

func TestBurstThenRate(t *testing.T) {
	t.Parallel()
	l, c := newTest(50, 200)
	for i := range 200 {
		d := l.Allow(v4, "prj_a")
		if !d.Allowed || d.Remaining != 199-i || d.Limit != 200 {
			t.Fatalf("request %d: %+v", i, d)
		}
	}
	d := l.Allow(v4, "prj_a")
	if d.Allowed || d.RetryAfter != 20*time.Millisecond {
		t.Fatalf("past the burst: %+v", d)
	}
	c.t = c.t.Add(19 * time.Millisecond)
	if l.Allow(v4, "prj_a").Allowed {
		t.Fatal("allowed before its time")
	}
	c.t = c.t.Add(time.Millisecond)
	if !l.Allow(v4, "prj_a").Allowed {
		t.Fatal("refused at its time")
	}
	if !l.Allow(v4, "prj_b").Allowed || !l.Allow(netip.MustParseAddr("192.0.2.2"), "prj_a").Allowed {
		t.Fatal("another project or address is limited of its own")
	}
}

func TestRatesBelowOneASecond(t *testing.T) {
	t.Parallel()
	l, c := newTest(0.05, 1)
	if d := l.Allow(v4, "p"); !d.Allowed || d.Remaining != 0 || d.Reset != 20*time.Second {
		t.Fatalf("the first: %+v", d)
	}
	if d := l.Allow(v4, "p"); d.Allowed || d.RetryAfter != 20*time.Second {
		t.Fatalf("at once: %+v", d)
	}
	c.t = c.t.Add(20 * time.Second)
	if !l.Allow(v4, "p").Allowed {
		t.Fatal("refused after 20 s")
	}
	if h := l.PolicyHeader(); h != `"reads";q=1;w=20` {
		t.Fatal(h)
	}
}

func TestIPv6CountsByNetwork(t *testing.T) {
	t.Parallel()
	l, _ := newTest(1, 2)
	a, b := netip.MustParseAddr("2001:db8:0:1::1"), netip.MustParseAddr("2001:db8:0:1:ffff::2")
	if !l.Allow(a, "p").Allowed || !l.Allow(b, "p").Allowed || l.Allow(a, "p").Allowed {
		t.Fatal("a /64 counts as one")
	}
	admitted := 2
	for i := range 20 {
		addr := netip.MustParseAddr("2001:db8:0:1::1").As16()
		addr[7] = byte(10 + i)
		for range 2 {
			if l.Allow(netip.AddrFrom16(addr), "p").Allowed {
				admitted++
			}
		}
	}
	if admitted != 8 {
		t.Fatalf("a /48 admitted %d, want four times the burst of 2", admitted)
	}
}

// A /64 pays nothing for what its /48 was refused.
func TestWhatTheWideNetworkRefusesIsNotSpent(t *testing.T) {
	t.Parallel()
	l, c := newTest(1, 2)
	for i := range 4 {
		for range 2 {
			l.Allow(netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%d::1", i)), "p")
		}
	}
	last := netip.MustParseAddr("2001:db8:0:ff::1")
	for range 5 {
		if l.Allow(last, "p").Allowed {
			t.Fatal("the /48 is not limited")
		}
	}
	c.t = c.t.Add(500 * time.Millisecond) // two requests' worth of the /48, half of one of the /64
	for i := range 2 {
		if !l.Allow(last, "p").Allowed {
			t.Fatalf("request %d of a /64 that got nothing yet", i)
		}
	}
}

func TestIdleKeysAreForgotten(t *testing.T) {
	t.Parallel()
	l, c := newTest(50, 200)
	for i := range 10_000 {
		l.Allow(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), "p")
	}
	c.t = c.t.Add(time.Second)
	for i := range 10_000 {
		l.Allow(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), "p")
	}
	if n := l.size(); n > 11_000 {
		t.Fatalf("%d keys are kept, 10,000 are busy", n)
	}
}

// However many addresses come, the memory is bounded, and who is at the limit stays there.
func TestManyAddresses(t *testing.T) {
	t.Parallel()
	l, c := newTest(1, 20)
	for range 20 {
		l.Allow(v4, "p")
	}
	for i := range 250_000 * testrand.Scale {
		l.Allow(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "p")
		c.t = c.t.Add(time.Microsecond)
	}
	if n := l.size(); n > shardCount*shardKeys {
		t.Fatalf("%d keys are kept", n)
	}
	admitted := 0
	for range 20 {
		if l.Allow(v4, "p").Allowed {
			admitted++
		}
	}
	if admitted > 1 {
		t.Fatalf("the flood gave a caller that was at its limit %d requests in a second", admitted)
	}
}

func TestManyAddressesThatNoOneReports(t *testing.T) {
	t.Parallel()
	l, _ := newTest(1, 20)
	l.startReporting()
	for i := range 250_000 * testrand.Scale {
		l.Allow(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "p")
	}
	if n := len(l.takeUsage()); n > shardCount*shardKeys {
		t.Fatalf("%d usages are kept", n)
	}
}

func TestClientIsTheRightmostUntrustedAddress(t *testing.T) {
	t.Parallel()
	proxies, err := Config{TrustedProxies: []string{"10.0.0.0/8", "2001:db8::1"}}.Proxies()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.9", "203.0.113.5", "192.0.2.9"},
		{"10.0.0.1", "203.0.113.5", "203.0.113.5"},
		{"10.0.0.1", "198.51.100.7, 203.0.113.5", "203.0.113.5"},
		{"10.0.0.1", "203.0.113.5, 10.2.3.4", "203.0.113.5"},
		{"::ffff:10.0.0.1", " 203.0.113.5 ", "203.0.113.5"},
		{"10.0.0.1", "203.0.113.5, garbage", "10.0.0.1"},
		{"10.0.0.1", "203.0.113.5,", "10.0.0.1"},
		{"10.0.0.1", "203.0.113.5:443", "10.0.0.1"},
		{"10.0.0.1", "", "10.0.0.1"},
		{"2001:db8::1", "2001:db8:1::5", "2001:db8:1::5"},
		{"2001:db8::1", "fe80::1%eth0", "fe80::1"},
	} {
		if got := proxies.Client(netip.MustParseAddr(c.peer), c.forwarded); got.String() != c.want {
			t.Errorf("%s with %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func FuzzClient(f *testing.F) {
	f.Add("198.51.100.7, 203.0.113.5, 10.2.3.4")
	f.Add("::ffff:10.0.0.1, fe80::1%eth0 ,,")
	proxies, err := Config{TrustedProxies: []string{"10.0.0.0/8"}}.Proxies()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, forwarded string) {
		got := proxies.Client(netip.MustParseAddr("10.0.0.1"), forwarded)
		if !got.IsValid() || got.Zone() != "" || !strings.Contains(forwarded, "1") && !proxies.trusts(got) && forwarded == "" {
			t.Fatalf("%q: %v", forwarded, got)
		}
		groups(got)
	})
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg   Config
		named []string
	}{
		{Config{ReadRate: 0, ReadBurst: -1, TrustedProxies: []string{"nowhere"}}, []string{"SVC_READ_RATE", "SVC_READ_BURST", "SVC_TRUSTED_PROXIES"}},
		{Config{ReadRate: 1e12}, []string{"SVC_READ_RATE"}},
		{Config{ReadRate: 0.001, ReadBurst: 1000}, []string{"SVC_READ_BURST"}},
		{Config{ReadRate: 0.5}, nil},
		{Config{ReadRate: 1e6}, nil},
	} {
		err := c.cfg.Validate()
		if (err == nil) != (c.named == nil) {
			t.Errorf("%+v: %v", c.cfg, err)
		}
		for _, name := range c.named {
			if err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%v does not name %s", err, name)
			}
		}
	}
}
