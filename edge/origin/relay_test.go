package origin

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

const patience = 2 * time.Minute

// relay is a server that passes everything on.
type relay struct {
	*Forwarder
	address string
}

var caller = netip.MustParseAddr("203.0.113.7")

func relayTo(t *testing.T, core string, pace Pace) *relay {
	t.Helper()
	cores, err := NewCores(core, pace.Core)
	if err != nil {
		t.Fatal(err)
	}
	f := New(Config{Cores: cores, Pace: pace, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	server := &fasthttp.Server{
		StreamRequestBody: true, MaxRequestBodySize: 8 << 10, NoDefaultContentType: true, NoDefaultServerHeader: true,
		DisablePreParseMultipartForm: true, Logger: silent{},
		Handler: func(ctx *fasthttp.RequestCtx) {
			call := Call{Target: string(ctx.RequestURI()), Client: caller, RequestID: "0123456789abcdef0123456789abcdef"}
			if f.Forward(ctx, call) {
				ctx.SetConnectionClose()
			}
		},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		cores.CloseIdleConnections()
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &relay{f, l.Addr().String()}
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// relayToHandler passes everything on to a core in Go.
func relayToHandler(t *testing.T, core http.HandlerFunc, pace Pace) *relay {
	t.Helper()
	upstream := httptest.NewServer(core)
	t.Cleanup(upstream.Close)
	return relayTo(t, upstream.URL, pace)
}

// relayToScript passes everything on to a core that answers every request with these bytes and then hangs up, and
// returns the heads of the requests, as they came.
func relayToScript(t *testing.T, script string, pace Pace) (*relay, <-chan string) {
	t.Helper()
	heads := make(chan string, 100)
	return relayToConn(t, pace, func(conn net.Conn) {
		head, err := readHead(bufio.NewReader(conn))
		if err != nil {
			return
		}
		heads <- head
		_, _ = io.WriteString(conn, script)
	}), heads
}

// relayToConn passes everything on to a core that does this with each connection.
func relayToConn(t *testing.T, pace Pace, core func(net.Conn)) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				core(conn)
			}()
		}
	}()
	return relayTo(t, "http://"+l.Addr().String(), pace)
}

func readHead(r *bufio.Reader) (head string, err error) {
	for !strings.HasSuffix(head, "\r\n\r\n") {
		line, err := r.ReadString('\n')
		if err != nil {
			return head, err
		}
		head += line
	}
	return head, nil
}

// dial opens a connection that fails a test rather than hang.
func (r *relay) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// exchange is what a raw request gets: the head of the answer as it came, and its body.
type exchange struct {
	head, body string
	status     int
	err        error // of reading the body
}

func (r *relay) send(t *testing.T, request string) exchange {
	t.Helper()
	conn := r.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	return receive(t, bufio.NewReader(conn), method)
}

func receive(t *testing.T, r *bufio.Reader, method string) (x exchange) {
	t.Helper()
	var err error
	if x.head, err = readHead(r); err != nil {
		t.Fatalf("after %q: %v", x.head, err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(x.head), r)), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	return exchange{head: x.head, body: string(body), status: answer.StatusCode, err: err}
}

func get(target string, headers ...string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: edge.example\r\n%s\r\n", target, lines(headers))
}

func lines(headers []string) (s string) {
	for _, h := range headers {
		s += h + "\r\n"
	}
	return s
}

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for over := time.Now().Add(patience); !holds(); <-look.C {
		if time.Now().After(over) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// isFree tells whether nothing is under way any more.
func (r *relay) isFree() bool { return r.underWay.Load() == 0 }
