package limit

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"svc/deploy/local/localtest"
	"svc/shared/testrand"
)

const patience = 2 * time.Minute

// sharing is a limiter that reports to Redis when the test says so.
func sharing(t *testing.T, p Policy, url string) (*Limiter, *Reporter) {
	t.Helper()
	l := New(p, nil)
	r, err := newReporter(l, url, 5*time.Second, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, r
}

func (r *Reporter) must(t *testing.T) {
	t.Helper()
	if err := r.Report(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestABurstIsSharedByAllEdges(t *testing.T) {
	t.Parallel()
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 100} // so slow that nothing comes back during the test
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	for range 70 {
		a.Allow(v4, "p")
	}
	reportA.must(t)
	if d := b.Allow(v4, "p"); !d.Allowed || d.Remaining != 99 {
		t.Fatalf("before its first report an edge knows of no one else: %+v", d)
	}
	reportB.must(t)
	admitted := 0
	for b.Allow(v4, "p").Allowed {
		admitted++
	}
	if admitted != 29 {
		t.Fatalf("after it the edge admitted %d more; 100 less 70 and 1 were left", admitted)
	}
	reportB.must(t)
	a.Allow(v4, "p") // one too many: this edge will hear of the other's 30 with its own next report
	reportA.must(t)
	if a.Allow(v4, "p").Allowed || b.Allow(v4, "p").Allowed {
		t.Fatal("both have spent it all")
	}
	if !a.Allow(v4, "q").Allowed || !a.Allow(netip.MustParseAddr("192.0.2.2"), "p").Allowed {
		t.Fatal("other keys are closed too")
	}
}

// What two edges admitted beyond the shared burst is a debt: no one gets in before it is paid, and then they do.
func TestOvershootIsPaidBack(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.01, 100} {
		policy := Policy{Name: "reads", Rate: rate, Burst: 100}
		url := localtest.Redis(t)
		a, reportA := sharing(t, policy, url)
		b, reportB := sharing(t, policy, url)
		for range 100 {
			a.Allow(v4, "p")
			b.Allow(v4, "p")
		}
		reportA.must(t)
		reportB.must(t)
		if rate < 1 { // a hundred requests, of 100 s each, less what the test takes
			if d := b.Allow(v4, "p"); d.Allowed || d.RetryAfter < 9_000*time.Second {
				t.Errorf("the door is open to who overspent: %+v", d)
			}
			continue
		}
		for began := time.Now(); !b.Allow(v4, "p").Allowed; {
			if time.Since(began) > patience {
				t.Fatal("the door stays closed")
			}
			reportB.must(t)
			reportA.must(t)
		}
	}
}

// However two edges are asked, and whenever they report, they admit the shared burst and what each let in before it heard of
// the other, and no more.
func TestTwoEdgesAdmitTheSharedBurst(t *testing.T) {
	t.Parallel()
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 40} // so slow that nothing comes back during the test
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	rng, admitted := testrand.New(t), 0
	for range 400 {
		switch rng.IntN(20) {
		case 0:
			reportA.must(t)
		case 1:
			reportB.must(t)
		default:
			for _, l := range []*Limiter{a, b} {
				if l.Allow(v4, "p").Allowed {
					admitted++
				}
			}
		}
	}
	if admitted < policy.Burst || admitted > 2*policy.Burst {
		t.Fatalf("%d admitted of a burst of %d", admitted, policy.Burst)
	}
}

func TestSlowRatesAreShared(t *testing.T) {
	t.Parallel()
	policy := Policy{Name: "reads", Rate: 0.001, Burst: 2}
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	a.Allow(v4, "p")
	a.Allow(v4, "p")
	reportA.must(t)
	b.Allow(v4, "p")
	reportB.must(t)
	if d := b.Allow(v4, "p"); d.Allowed || d.RetryAfter < 500*time.Second || d.RetryAfter > 1000*time.Second {
		t.Fatalf("a request every 1000 s: %+v", d)
	}
}

func TestManyKeysInOneReport(t *testing.T) {
	t.Parallel()
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 10}
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	const clients = 500
	for i := range clients {
		client := netip.AddrFrom16([16]byte{0x20, 1, 0, 0, byte(i >> 8), byte(i)}) // each a /48 of its own
		for range 10 {
			a.Allow(client, "p")
		}
		b.Allow(client, "p")
	}
	reportA.must(t)
	reportB.must(t)
	for i := range clients {
		if d := b.Allow(netip.AddrFrom16([16]byte{0x20, 1, 0, 0, byte(i >> 8), byte(i)}), "p"); d.Allowed {
			t.Fatalf("client %d spent all it has on the other edge: %+v", i, d)
		}
	}
}

// Reports of one key at the same time never allow more than there is.
func TestReportsOfOneKeyAtOnce(t *testing.T) {
	t.Parallel()
	options, err := redis.ParseURL(localtest.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	rate := redis_rate.NewLimiter(client)
	var mu sync.Mutex
	var reports sync.WaitGroup
	allowed := 0
	for range 50 {
		reports.Go(func() {
			result, err := rate.AllowAtMost(t.Context(), "k", shared(Policy{Rate: 0.01, Burst: 100}), 7*unit)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			allowed += result.Allowed
		})
	}
	reports.Wait()
	if allowed/unit != 100 {
		t.Fatalf("%d thousandths were allowed of 100", allowed)
	}
}

// A Redis that takes connections and says nothing holds the reporter up, and no read.
func TestReadsDoNotWaitForRedis(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	l := New(Policy{Name: "reads", Rate: 1, Burst: 10}, nil)
	r, err := newReporter(l, "redis://"+silent.Addr().String(), time.Hour, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l.Allow(v4, "p")
	ctx, stop := context.WithCancel(t.Context())
	reported := make(chan error, 1)
	go func() { reported <- r.Report(ctx) }()
	conn, err := silent.Accept() // the report is under way
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 9 {
		if !l.Allow(v4, "p").Allowed {
			t.Fatal("refused within the burst")
		}
	}
	if l.Allow(v4, "p").Allowed {
		t.Fatal("the local limit does not hold")
	}
	select {
	case err := <-reported:
		t.Fatalf("the report is over: %v", err)
	default:
	}
	stop()
	conn.Close()
	if err := <-reported; err == nil {
		t.Fatal("a report that no one took has no error")
	}
}

func TestRedisGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := localtest.StartRedis(t)
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 20}
	a, reportA := sharing(t, policy, server.URL)
	b, reportB := sharing(t, policy, server.URL)
	a.Allow(v4, "p")
	reportA.must(t)

	server.Kill(t)
	for range 5 {
		a.Allow(v4, "p")
	}
	if err := reportA.Report(t.Context()); err == nil {
		t.Fatal("a report without redis has no error")
	}
	admitted := 6
	for a.Allow(v4, "p").Allowed {
		admitted++
	}
	if admitted != 20 {
		t.Fatalf("without redis %d were admitted of 20", admitted)
	}

	server.Start(t)
	other := netip.MustParseAddr("192.0.2.2")
	for range 20 {
		a.Allow(other, "p")
	}
	b.Allow(other, "p")
	for began := time.Now(); reportA.Report(t.Context()) != nil; {
		if time.Since(began) > patience {
			t.Fatal("redis is back, and not reported to")
		}
		a.Allow(netip.MustParseAddr("192.0.2.3"), "p")
	}
	reportB.must(t)
	if b.Allow(other, "p").Allowed {
		t.Fatal("limits are not shared again")
	}
}
