package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/deploy/local/localtest"
	"svc/edge/limit"
	"svc/edge/origin"
)

func TestARequestUnderWayIsFinished(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := start(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		io.WriteString(w, "done")
	}))
	conn := s.dial(t)
	if _, err := io.WriteString(conn, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-arrived
	s.stop()
	until(t, "new connections are refused", func() bool {
		late, err := net.Dial("tcp", strings.TrimPrefix(s.origin, "http://"))
		if err == nil {
			late.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	select {
	case <-s.over:
		t.Fatal("the server has stopped in the middle of a request")
	default:
	}
	close(release)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body := text(t, answer); body != "done" || !answer.Close {
		t.Fatalf("%q, close: %v", body, answer.Close)
	}
	<-s.over
}

func TestAnIdleConnectionMayAskOnceMoreAndIsClosed(t *testing.T) {
	s := startWith(t, plenty, noCore(t), Config{Pace: Pace{Settle: 3 * time.Second}})
	asks, rests, dribbles, silent := s.dial(t), s.dial(t), s.dial(t), s.dial(t)
	ask(t, asks, "/healthz")
	ask(t, rests, "/healthz")
	if _, err := io.WriteString(dribbles, "GET /healthz HT"); err != nil {
		t.Fatal(err)
	}
	until(t, "all are there", func() bool { return s.server.connections.Count() == 4 })
	s.stop()
	until(t, "the server stops", s.server.stopping.Load)
	if answer := ask(t, asks, "/healthz"); answer.StatusCode != http.StatusOK || !answer.Close {
		t.Fatalf("%d, close: %v", answer.StatusCode, answer.Close)
	}
	for name, conn := range map[string]net.Conn{"that rests": rests, "in the middle of a head": dribbles, "that said nothing": silent} {
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a connection %s stays: %v", name, err)
		}
	}
	<-s.over
}

func TestARequestThatOutstaysItsGraceIsCut(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := startWith(t, plenty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
	}), Config{Pace: Pace{Grace: 100 * time.Millisecond}})
	defer close(release)
	conn := s.dial(t)
	if _, err := io.WriteString(conn, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-arrived
	s.stop()
	<-s.over
	if !errors.Is(s.err, context.DeadlineExceeded) || !strings.Contains(s.err.Error(), "under way") {
		t.Fatal(s.err)
	}
	s.err = nil // for the end of the test
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
}

func TestStoppedBeforeItServed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(Config{Logger: discard}).Serve(ctx, l); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatal(err)
	}
}

func TestAClosedListenerEndsTheServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := New(Config{Logger: discard}).Serve(t.Context(), l); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}

// Two servers are restarted one after the other under load. Callers of those that say they are ready see no failure.
func TestARollingRestartFailsNoRequest(t *testing.T) {
	core := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "core") }))
	defer core.Close()
	var spread balancer
	for range 2 {
		spread.add(t, core.URL)
	}
	go spread.watch(t.Context())

	var clients sync.WaitGroup
	done := make(chan struct{})
	var answered atomic.Int64
	for range 8 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				address := spread.pick(i) + [2]string{"/healthz", "/v1/auth/whoami"}[i%2]
				answer, err := client.Get(address)
				if err != nil {
					t.Errorf("%s: %v", address, err)
					return
				}
				if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("%s: %d, %v", address, answer.StatusCode, err)
				}
				answer.Body.Close()
				answered.Add(1)
			}
		})
	}
	for i := range 2 {
		before := answered.Load()
		until(t, "requests are answered", func() bool { return answered.Load() > before+200 })
		spread.restart(t, i)
	}
	before := answered.Load()
	until(t, "requests are answered", func() bool { return answered.Load() > before+200 })
	close(done)
	clients.Wait()
	spread.stop(t)
}

// balancer spreads requests over servers that say they are ready.
type balancer struct {
	nodes []*node
}

type node struct {
	core, address string
	ready         atomic.Bool
	cancel        context.CancelFunc
	done          chan error
}

func (b *balancer) add(t *testing.T, core string) {
	n := &node{core: core}
	n.start(t)
	b.nodes = append(b.nodes, n)
}

func (n *node) start(t *testing.T) {
	t.Helper()
	cores, err := origin.NewCores(n.core, 0)
	if err != nil {
		t.Fatal(err)
	}
	forwarder := origin.New(origin.Config{Cores: cores, Logger: discard})
	s := New(Config{
		Forwarder: forwarder, Limiter: limit.New(plenty, nil), Status: &status{}, Logger: discard,
		Pace: Pace{Drain: 2 * time.Second},
	})
	l := localtest.Listen(t, n.address)
	if n.address == "" { // which it has from then on
		n.address = l.Addr().String()
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel, n.done = cancel, make(chan error, 1)
	go func() {
		n.done <- s.Serve(ctx, l)
		cores.CloseIdleConnections()
	}()
	n.ready.Store(true)
}

func (b *balancer) watch(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	for look := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-look.C {
		for _, n := range b.nodes {
			answer, err := client.Get("http://" + n.address + "/readyz")
			n.ready.Store(err == nil && answer.StatusCode == http.StatusOK)
			if err == nil {
				answer.Body.Close()
			}
		}
	}
}

func (b *balancer) pick(i int) string {
	for {
		for k := range b.nodes {
			if n := b.nodes[(i+k)%len(b.nodes)]; n.ready.Load() {
				return "http://" + n.address
			}
		}
	}
}

func (b *balancer) restart(t *testing.T, i int) {
	t.Helper()
	n := b.nodes[i]
	n.cancel()
	if err := <-n.done; err != nil {
		t.Fatal(err)
	}
	n.start(t)
	until(t, "the node is ready again", n.ready.Load)
}

func (b *balancer) stop(t *testing.T) {
	for _, n := range b.nodes {
		n.cancel()
		if err := <-n.done; err != nil {
			t.Error(err)
		}
	}
}
