package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"svc/shared/connections"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/telemetry"
)

// listener accepts connections on which even malformed requests are refused with a problem body like every other answer,
// for which net/http has no hook. It survives temporary failures to accept, such as a lack of file descriptors.
type listener struct {
	net.Listener
	logger      *slog.Logger
	connections *connections.Set
}

// Accept implements net.Listener. net/http tries again by itself where accepting fails for a while.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		if !errors.Is(err, net.ErrClosed) {
			l.logger.Warn("cannot take a connection", "error", err)
			l.connections.Evict()
		}
		return nil, err
	}
	return &connection{Conn: conn}, nil
}

// connection is one of a caller. Between requests net/http answers by itself what it cannot read.
type connection struct {
	net.Conn
	answering atomic.Bool // a handler has the connection
	heard     atomic.Bool // something came since it is idle
	refused   atomic.Bool // the last answer is given
}

type connectionKey struct{}

func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// connectionOf returns the connection of a request; nil for one that came another way.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// Read implements net.Conn. Where the head of a request does not come in time, net/http hangs up without a word.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(true)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && c.heard.Load() && !c.answering.Load() {
		_ = c.refuse(http.StatusRequestTimeout, "the request did not come in time") // a slow caller may be gone
	}
	return n, err
}

// Write implements net.Conn. What comes while no handler has the connection is net/http's own refusal, in plain text.
func (c *connection) Write(p []byte) (int, error) {
	if c.answering.Load() {
		return c.Conn.Write(p)
	}
	status, detail, ok := readRefusal(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if err := c.refuse(status, detail); err != nil {
		return 0, err
	}
	return len(p), nil
}

// readRefusal takes a refusal of net/http apart.
func readRefusal(p []byte) (status int, detail string, ok bool) {
	line, isHTTP := bytes.CutPrefix(p, []byte("HTTP/1.1 "))
	if !isHTTP || len(line) < 3 {
		return 0, "", false
	}
	status, err := strconv.Atoi(string(line[:3]))
	if err != nil {
		return 0, "", false
	}
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		return status, "the head of the request is larger than 16 KiB", true
	case http.StatusExpectationFailed:
		return status, "Expect: the only expectation that can be met is 100-continue", true
	}
	_, text, _ := bytes.Cut(line, []byte("\r\n\r\n"))
	detail = "the request is not well-formed HTTP"
	if _, why, ok := strings.Cut(string(text), ": "); ok {
		detail += ": " + why
	}
	return http.StatusBadRequest, detail, true
}

// refuse answers for the server, and for the last time.
func (c *connection) refuse(status int, detail string) error {
	if c.refused.Swap(true) {
		return nil
	}
	id := telemetry.RequestID("", "")
	answer := problem.RenderAs(status, fault.New(fault.ValidationFailed, "%s", detail), id)
	header := http.Header{}
	for _, h := range answer.Headers {
		header.Set(h.Name, h.Value)
	}
	header.Set(telemetry.RequestIDHeader, id)
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var out bytes.Buffer
	err := (&http.Response{
		StatusCode: answer.Status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Close: true,
		ContentLength: int64(len(answer.Body)), Body: io.NopCloser(bytes.NewReader(answer.Body)),
	}).Write(&out)
	if err != nil {
		return err
	}
	if err := c.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	_, err = c.Conn.Write(out.Bytes())
	return err
}

const (
	lingers  = 500 * time.Millisecond
	lingered = 1 << 20
)

// Close implements net.Conn. What a refused caller still sends is dropped for a moment: a connection that is closed
// before everything was read takes the answer with it.
func (c *connection) Close() error {
	if c.refused.Load() && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingers)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingered)
	}
	return c.Conn.Close()
}

// CloseWrite tells the caller that nothing more comes, and leaves the line open for what the caller sends.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
