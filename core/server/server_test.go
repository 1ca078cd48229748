package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/wiretest"
)

// serve runs a server until the test or stop ends it; stop returns how it ended.
func serve(t *testing.T, h http.Handler) (address string, stop func() error) {
	t.Helper()
	return run(t, New(h, 0, slog.New(slog.DiscardHandler)))
}

func run(t *testing.T, s *Server) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	return l.Addr().String(), func() error {
		cancel()
		return <-done
	}
}

func TestLongHeadersAreRefused(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") }))
	for size, want := range map[int]string{30 << 10: "HTTP/1.1 200 ", 60 << 10: "HTTP/1.1 431 "} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", strings.Repeat("a", size)); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%d bytes: %q, %v; want %s", size, line, err, want)
		}
		conn.Close()
	}
}

// TestStoppingLetsRequestsFinish: a request that is being served when core is told to stop gets its answer.
func TestStoppingLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	began, finish := make(chan struct{}), make(chan struct{})
	address, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(began)
		<-finish
		io.WriteString(w, "done")
	}))
	answered := make(chan string, 1)
	go func() {
		response, err := wiretest.Client.Get("http://" + address)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answered <- fmt.Sprint(string(body), err)
	}()
	<-began
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	refusing := time.NewTicker(time.Millisecond)
	defer refusing.Stop()
	for range refusing.C { // until it takes no one new
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		conn.Close()
	}
	close(finish)
	if got := <-answered; got != "done<nil>" {
		t.Error(got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
