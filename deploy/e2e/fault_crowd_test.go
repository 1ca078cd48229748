package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// crowdSize is how many connections rest on a node at one time.
var crowdSize = localtest.Size(3_000, 10_000)

// TestIdleConnectionsKeepNoOneOut: thousands of connections that say nothing, that stop in the middle of a head, and that
// rest after an answer come to an edge and then to core. Those who have something to ask are answered meanwhile, on connections
// old and new.
func TestIdleConnectionsKeepNoOneOut(t *testing.T) {
	needFiles(t, uint64(crowdSize+1000))
	b := newPrivateBed(t, local.Config{Edges: 1}, posts)
	set := b.set("Posts")
	for n := range 20 {
		b.create(set, "posts", postNumber(n))
	}
	b.publish(set)
	b.await(1, "posts", b.edge1, b.core)
	for _, n := range []node.Node{b.edge1, b.core} {
		t.Run(n.Name, func(t *testing.T) {
			part := b.on(t)
			conns := part.crowd(n)
			part.asks(n, 100)
			for _, conn := range conns {
				conn.Close()
			}
			part.asks(n, 100)
		})
	}
}

// needFiles fails the test where the process may not have so many files open.
func needFiles(t *testing.T, n uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur < n {
		t.Fatalf("this process may have %d files open, and needs %d: raise the limit (ulimit -n)", limit.Cur, n)
	}
}

// crowd opens the connections. The node may close some of them meanwhile.
func (b *bed) crowd(n node.Node) []net.Conn {
	b.t.Helper()
	address := strings.TrimPrefix(n.URL, "http://")
	conns := make([]net.Conn, crowdSize)
	b.t.Cleanup(func() {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
	})
	group, ctx := errgroup.WithContext(b.t.Context())
	group.SetLimit(16)
	for i := range conns {
		group.Go(func() (err error) {
			if conns[i], err = (&net.Dialer{}).DialContext(ctx, "tcp", address); err != nil {
				return err
			}
			switch i % 3 {
			case 1:
				_, _ = io.WriteString(conns[i], "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: ")
			case 2:
				_, _ = io.WriteString(conns[i], "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
			}
			return nil
		})
	}
	b.check(group.Wait())
	return conns
}

// asks reads on one connection that stays open and on new ones, all of which must be answered.
func (b *bed) asks(n node.Node, times int) {
	b.t.Helper()
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	for range times {
		answer, err := n.Get(b.t.Context(), b.list("posts")+"?limit=3")
		if err != nil || answer.Status != http.StatusOK {
			b.t.Fatalf("a read from %s on an open connection: %s, %v", n.Name, answer, err)
		}
		other, err := fresh.Get(n.URL + b.single("posts", "post-number-1"))
		b.check(err)
		body, err := io.ReadAll(io.LimitReader(other.Body, 300))
		other.Body.Close()
		if err != nil || other.StatusCode != http.StatusOK {
			b.t.Fatalf("a read from %s on a new connection: %d, %v: %s", n.Name, other.StatusCode, err, body)
		}
	}
}

// TestSlowCallersDelayNoOne: hundreds of callers who dribble heads and bodies and do not take what they asked for hold
// no one up, on an edge and on core, and are cut off in the end.
func TestSlowCallersDelayNoOne(t *testing.T) {
	b := newPrivateBed(t, local.Config{Edges: 1}, posts)
	set := b.set("Posts")
	for n := range 100 {
		text := postNumber(n)
		text.Body = strings.Repeat("text ", 10_000) // so that a page does not fit into what systems buffer
		b.create(set, "posts", text)
	}
	b.publish(set)
	b.await(1, "posts", b.edge1, b.core)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	slow, ctx := errgroup.WithContext(ctx)
	ended := make(chan string, 1000)
	var begun sync.WaitGroup
	for _, n := range []node.Node{b.edge1, b.core} {
		for i := range 300 {
			head, drip := b.slowly(i)
			begun.Add(1)
			slow.Go(func() error {
				err := dribble(ctx, n, head, drip, begun.Done)
				if ctx.Err() == nil {
					ended <- n.Name
				}
				return err
			})
		}
	}
	// Two hundred large pages at once are a load that a node may turn somebody away for. Slow callers are none, once they
	// have the beginning of what they do not take.
	rush := make(chan struct{})
	go func() {
		defer close(rush)
		begun.Wait()
	}()
	select {
	case <-rush:
	case <-time.After(patience):
		t.Fatalf("some of 200 large pages have not begun to come within %s", patience)
	}
	b.insistOnAsking(b.edge1)
	b.insistOnAsking(b.core)
	// Heads have 15 seconds: when all of those are cut off, everything else has been slow for as long.
	gone := map[string]int{}
	for gone["edge-1"] < 100 || gone["core"] < 100 {
		select {
		case name := <-ended:
			gone[name]++
		case <-time.After(patience):
			t.Fatalf("cut off: %v of 100 slow heads each", gone)
		default:
			b.asks(b.edge1, 1)
			b.asks(b.core, 1)
			if made := b.set("Meanwhile"); made == "" {
				t.Fatal("no change set was made")
			}
		}
	}
	stop()
	b.check(slow.Wait())
}

// slowly is what the i-th slow caller sends at once, and what it dribbles then; nothing is dribbled by one who only reads.
func (b *bed) slowly(i int) (head, drip string) {
	switch i % 3 {
	case 0:
		return "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", "x"
	case 1:
		return fmt.Sprintf("POST /v1/projects/%s/change-sets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Content-Length: 1000\r\n\r\n{", b.project.Slug, b.account.Token), " "
	}
	return "GET " + b.list("posts") + "?limit=100 HTTP/1.1\r\nHost: a\r\n\r\n", ""
}

// insistOnAsking repeats a read until it is answered.
func (b *bed) insistOnAsking(n node.Node) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		answer, err := n.Get(ctx, b.list("posts")+"?limit=3")
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("%s answers %d: %.300s", n.Name, answer.Status, answer.Body)
		}
		return err
	})
}

// dribble sends one byte every half second until the node hangs up or ctx ends. One who sends nothing more reads the first
// byte of the answer and no other. It calls begun when it has come so far.
func dribble(ctx context.Context, n node.Node, head, drip string, begun func()) error {
	begin := sync.OnceFunc(begun)
	defer begin()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(n.URL, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, head); err != nil {
		return nil // the node hung up
	}
	if drip == "" {
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			return nil
		}
	}
	begin()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if drip == "" {
			continue
		}
		if _, err := io.WriteString(conn, drip); err != nil {
			return nil
		}
	}
}
