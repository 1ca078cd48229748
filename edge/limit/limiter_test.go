package limit

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newTest(rate float64, burst int) (*Limiter, *clock) {
	c := &clock{time.Unix(1_000_000, 0)}
	return New(Policy{Name: "reads", Rate: rate, Burst: burst}, c.now), c
}

var v4 = netip.MustParseAddr("192.0.2.1")

func TestBurstThenRate(t *testing.T) {
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

func TestIPv6CountsByNetwork(t *testing.T) {
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

func TestABlockClosesTheDoorAndOpensAgain(t *testing.T) {
	l, c := newTest(50, 200)
	near, _ := groups(v4)
	l.block(key{near, "p"}, c.t.Add(time.Second))
	if d := l.Allow(v4, "p"); d.Allowed || d.RetryAfter != time.Second {
		t.Fatalf("%+v", d)
	}
	c.t = c.t.Add(time.Second)
	if !l.Allow(v4, "p").Allowed {
		t.Fatal("still closed")
	}
}

func TestIdleKeysAreForgotten(t *testing.T) {
	l, c := newTest(50, 200)
	l.Allow(v4, "p")
	if got := l.drain(); len(got) != 1 || got[0].n != 1 {
		t.Fatalf("drained %v", got)
	}
	c.t = c.t.Add(20 * time.Millisecond)
	l.drain()
	for i := range l.shards {
		if n := len(l.shards[i].keys); n != 0 {
			t.Fatalf("%d keys are kept", n)
		}
	}
}

func TestClientIsTheRightmostUntrustedAddress(t *testing.T) {
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
		{"10.0.0.1", "", "10.0.0.1"},
		{"2001:db8::1", "2001:db8:1::5", "2001:db8:1::5"},
	} {
		if got := proxies.Client(netip.MustParseAddr(c.peer), c.forwarded); got.String() != c.want {
			t.Errorf("%s with %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	err := Config{ReadRate: 0, ReadBurst: -1, TrustedProxies: []string{"nowhere"}}.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, name := range []string{"SVC_READ_RATE", "SVC_READ_BURST", "SVC_TRUSTED_PROXIES"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}
