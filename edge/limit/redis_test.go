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
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 100} // so slow that nothing comes back during the test
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	for range 70 {
		a.Allow(v4, "p")
	}
	reportA.must(t)
	if d := b.Allow(v4, "p"); !d.Allowed || d.Remaining != 99 {
		t.Fatalf("before its first report an edge knows of nobody else: %+v", d)
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

func TestOvershootIsPaidBack(t *testing.T) {
	policy := Policy{Name: "reads", Rate: 100, Burst: 100}
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	began := time.Now()
	for range 100 {
		a.Allow(v4, "p")
		b.Allow(v4, "p")
	}
	reportA.must(t)
	reportB.must(t)
	if b.Allow(v4, "p").Allowed && time.Since(began) < time.Second { // after which the debt is paid
		t.Fatal("the door is open to who overspent")
	}
	// The debt of some 100 requests is taken from what both share: nobody gets in before it is paid.
	admitted := 0
	for !b.Allow(v4, "p").Allowed {
		if time.Since(began) > patience {
			t.Fatal("the door stays closed")
		}
		reportB.must(t)
		reportA.must(t)
		if a.Allow(v4, "p").Allowed {
			admitted++
		}
	}
	if limit := 100 + 100*time.Since(began).Seconds() + 2*1; float64(200+admitted+1-100) > limit {
		t.Fatalf("%d requests in %s", 200+admitted+1, time.Since(began))
	}
}

// Two edges that are asked far too much converge to the shared rate: what they admit stays within the bound. Where reports get
// no processor for a while they admit more, so it is seen thrice before it is a fault.
func TestTwoEdgesConvergeToTheSharedRate(t *testing.T) {
	policy := Policy{Name: "reads", Rate: 200, Burst: 40}
	for try := 1; ; try++ {
		admitted, took := askTwoEdges(t, policy, 400)
		bound := float64(policy.Burst) + policy.Rate*took.Seconds() + 2*float64(policy.Burst)
		if float64(admitted) <= bound {
			return
		}
		if try == 3 {
			t.Fatalf("%d admitted in %s, at most %.0f are right", admitted, took, bound)
		}
	}
}

// askTwoEdges asks two edges of their own Redis until they have admitted so many.
func askTwoEdges(t *testing.T, policy Policy, total int) (admitted int, took time.Duration) {
	t.Helper()
	url := localtest.Redis(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	edges := make([]*Limiter, 2)
	for i := range edges {
		l := New(policy, nil)
		r, err := NewReporter(l, url, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		edges[i] = l
		running.Go(func() { _ = r.Run(ctx) })
	}
	defer running.Wait()
	defer stop()

	began, refused := time.Now(), 0
	for offered := time.NewTicker(time.Millisecond); admitted < total; <-offered.C {
		for _, l := range edges {
			if l.Allow(v4, "p").Allowed {
				admitted++
			} else {
				refused++
			}
		}
		if time.Since(began) > patience {
			t.Fatalf("%d of %d admitted", admitted, total)
		}
	}
	took = time.Since(began)
	t.Logf("%d admitted and %d refused in %s: %.0f/s", admitted, refused, took, float64(admitted)/took.Seconds())
	return admitted, took
}

func TestSlowRatesAreShared(t *testing.T) {
	policy := Policy{Name: "reads", Rate: 0.3, Burst: 2}
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	began := time.Now()
	a.Allow(v4, "p")
	a.Allow(v4, "p")
	reportA.must(t)
	b.Allow(v4, "p")
	reportB.must(t)
	d, passed := b.Allow(v4, "p"), time.Since(began)
	if d.Allowed && passed < 3*time.Second || d.RetryAfter < 3*time.Second-passed || d.RetryAfter > 4*time.Second {
		t.Fatalf("a request every 3.3 s, after %s: %+v", passed, d)
	}
}

func TestManyKeysInOneReport(t *testing.T) {
	policy := Policy{Name: "reads", Rate: 0.01, Burst: 10}
	url := localtest.Redis(t)
	a, reportA := sharing(t, policy, url)
	b, reportB := sharing(t, policy, url)
	const clients = 2*batchSize + 7
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
	options, err := redis.ParseURL(localtest.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	calls := newPipeline(client, 50)
	rate := redis_rate.NewLimiter(calls)
	var mu sync.Mutex
	allowed := 0
	for range 50 {
		go func() {
			defer calls.finish()
			result, err := rate.AllowAtMost(t.Context(), "k", shared(Policy{Rate: 0.01, Burst: 100}), 7)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			allowed += result.Allowed
		}()
	}
	calls.run(t.Context())
	if allowed != 100 {
		t.Fatalf("%d were allowed of 100", allowed)
	}
}

// A Redis that takes connections and says nothing holds the reporter up, and no read.
func TestReadsDoNotWaitForRedis(t *testing.T) {
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
		t.Fatal("a report that nobody took has no error")
	}
}

func TestRedisGoesAndComesBack(t *testing.T) {
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
