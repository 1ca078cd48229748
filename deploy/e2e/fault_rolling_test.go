package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// rollings is how often every node is restarted.
var rollings = localtest.Size(1, 2)

// TestARollingRestartFailsNoRequest: two edges, and the two cores behind them, are restarted one after the other while
// readers read and authors publish through whichever edge says that it is ready. No request fails, and every release that
// was acknowledged is on every node.
func TestARollingRestartFailsNoRequest(t *testing.T) {
	b := newPrivateBed(t, local.Config{Cores: 2, Environment: map[local.Kind][]string{
		local.Edge: {"SVC_EDGE_DRAIN=3s"}, // sixty looks of the balancer
		local.Core: {"SVC_CORE_DRAIN=5s"}, // longer than edges keep idle connections
	}}, posts)
	b.stack.SetEnvironment("edge-1", "SVC_CORE_URL="+b.stack.URL("core")+","+b.stack.URL("core-2"))
	b.stack.SetEnvironment("edge-2", "SVC_CORE_URL="+b.stack.URL("core-2")+","+b.stack.URL("core"))
	set := b.set("Posts")
	for n := range 30 {
		b.create(set, "posts", postNumber(n))
	}
	b.publish(set)
	b.restart("edge-1")
	b.restart("edge-2")
	b.await(1, "posts", b.nodes()...)

	edges := newBalancer(b)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	load, ctx := errgroup.WithContext(ctx)
	for _, e := range edges.edges {
		load.Go(func() error { return e.watch(ctx) })
	}
	for reader := range 6 {
		load.Go(func() error { return edges.read(ctx, b, reader) })
	}
	var releases atomic.Int64
	for author := range 2 {
		load.Go(func() error { return edges.write(ctx, b, author, &releases) })
	}
	for range rollings {
		for _, name := range []string{"edge-1", "edge-2", "core", "core-2"} {
			edges.more(ctx, b)
			before := time.Now()
			b.restart(name)
			t.Logf("%s was restarted in %s", name, time.Since(before).Round(10*time.Millisecond))
			edges.more(ctx, b)
		}
	}
	stop()
	ended := load.Wait()
	for _, failure := range edges.failed() {
		t.Error(failure)
	}
	b.check(ended)
	t.Logf("%d requests, %d releases", edges.answered.Load(), releases.Load())
	last := uint64(1 + releases.Load())
	b.await(last, "posts", append(b.nodes(), b.node("core-2"))...)
	if answer := b.same(b.nodes(), b.list("posts")); answer.Release != last {
		t.Errorf("%d releases were acknowledged, and %d is the newest", last, answer.Release)
	}
	b.agree([]string{"posts"}, b.edges()...)
}

func (b *bed) restart(name string) {
	b.t.Helper()
	b.check(b.stack.StopPart(name))
	b.check(b.stack.StartPart(b.t.Context(), name))
}

// balancer spreads requests over the edges that say they are ready, as a balancer does.
type balancer struct {
	edges    []*balanced
	inner    *http.Transport
	next     atomic.Uint64
	answered atomic.Int64

	mu       sync.Mutex
	failures []string
}

type balanced struct {
	node.Node
	origin *url.URL
	ready  atomic.Bool
}

func newBalancer(b *bed) *balancer {
	s := &balancer{inner: &http.Transport{MaxIdleConnsPerHost: 64}}
	for _, n := range b.edges() {
		origin, err := url.Parse(n.URL)
		b.check(err)
		e := &balanced{Node: n, origin: origin}
		e.ready.Store(true)
		s.edges = append(s.edges, e)
	}
	b.t.Cleanup(s.inner.CloseIdleConnections)
	return s
}

// watch asks an edge all the time whether it is ready. One that takes its time, as on a busy machine, is not gone.
func (e *balanced) watch(ctx context.Context) error {
	probe := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		answer, err := probe.Get(e.URL + "/readyz")
		e.ready.Store(err == nil && answer.StatusCode == http.StatusOK)
		if err == nil {
			answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// RoundTrip implements http.RoundTripper. It sends a request once, and notes when it fails.
func (s *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	e := s.pick()
	if e == nil {
		err := errors.New("no edge is ready")
		s.fail("%s %s: %v", r.Method, r.URL.Path, err)
		return nil, err
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host = e.origin.Scheme, e.origin.Host, ""
	out.GetBody = nil // or the transport would send what failed again
	answer, err := s.inner.RoundTrip(out)
	switch {
	case r.Context().Err() != nil:
	case err != nil:
		s.fail("%s: %s %s: %v", e.Name, r.Method, r.URL.Path, err)
	case answer.StatusCode >= http.StatusBadRequest:
		s.fail("%s: %s %s answers %d", e.Name, r.Method, r.URL.Path, answer.StatusCode)
	default:
		s.answered.Add(1)
	}
	return answer, err
}

func (s *balancer) pick() *balanced {
	from := s.next.Add(1)
	for i := range s.edges {
		if e := s.edges[(from+uint64(i))%uint64(len(s.edges))]; e.ready.Load() {
			return e
		}
	}
	return nil
}

func (s *balancer) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (s *balancer) failed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures[:min(20, len(s.failures))]
}

// more waits until more requests were answered, or load ends because one failed.
func (s *balancer) more(load context.Context, b *bed) {
	b.t.Helper()
	before := s.answered.Load()
	b.until(func(context.Context) error {
		if n := s.answered.Load() - before; n < 200 && load.Err() == nil {
			return fmt.Errorf("%d more requests were answered", n)
		}
		return nil
	})
}

// read reads until ctx ends.
func (s *balancer) read(ctx context.Context, b *bed, reader int) error {
	browser := &http.Client{Transport: s}
	for i := 0; ctx.Err() == nil; i++ {
		path := b.list("posts") + "?limit=5"
		if i%2 == 0 {
			path = b.single("posts", fmt.Sprintf("post-number-%d", (i+reader)%30))
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://balancer"+path, nil)
		if err != nil {
			return err
		}
		answer, err := browser.Do(request)
		if err != nil {
			continue // it is noted
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil && ctx.Err() == nil {
			s.fail("%s breaks off: %v", path, err)
		}
		answer.Body.Close()
		if node.Pause(ctx, 2*time.Millisecond) != nil { // the processors belong to the nodes
			return nil
		}
	}
	return nil
}

// write publishes until ctx ends, and counts the releases that were acknowledged. What has begun is brought to its end.
func (s *balancer) write(ctx context.Context, b *bed, author int, releases *atomic.Int64) error {
	api := client.New("http://balancer", b.account.Token, &http.Client{Transport: s})
	for round := 0; ctx.Err() == nil; round++ {
		all := b.t.Context()
		set, err := api.CreateChangeSet(all, b.project.Slug, "Edition", "")
		if err != nil {
			return err
		}
		text := post{Title: fmt.Sprintf("Author %d, edition %d", author, round)}
		if _, err := api.CreateEntry(all, b.project.Slug, "posts", client.NewEntry{Data: text, ChangeSetID: string(set.ID)}); err != nil {
			return err
		}
		if _, err := api.Publish(all, b.project.Slug, string(set.ID)); err != nil {
			return err
		}
		releases.Add(1)
		if node.Pause(ctx, 100*time.Millisecond) != nil {
			return nil
		}
	}
	return nil
}
