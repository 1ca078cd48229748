package server

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/valyala/fasthttp"

	"svc/edge/origin"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// refuse answers a request that is not taken, and gives the connection up: no one knows what else is on it.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, err error, id string) {
	origin.WriteProblem(ctx, err, id)
	if ctx.Request.IsBodyStream() {
		s.linger(ctx)
		return
	}
	ctx.SetConnectionClose()
}

// malformed answers what is not even a request. What is left of it is dropped first: a connection that is closed before
// everything was read takes the answer with it.
func (s *Server) malformed(ctx *fasthttp.RequestCtx, err error) {
	id := telemetry.RequestID("", "")
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &small):
		s.drop(ctx.Conn(), 100*time.Millisecond)
		origin.WriteProblemAs(ctx, fasthttp.StatusRequestHeaderFieldsTooLarge,
			fault.New(fault.ValidationFailed, "the head of the request is larger than %d KiB", maxHeader>>10), id)
	case errors.Is(err, os.ErrDeadlineExceeded):
		origin.WriteProblemAs(ctx, fasthttp.StatusRequestTimeout, fault.New(fault.ValidationFailed, "the request did not come in time"), id)
	default:
		origin.WriteProblem(ctx, fault.New(fault.ValidationFailed, "the request is not well-formed HTTP"), id)
	}
	s.common(ctx, read.Path{}, nil)
	if len(ctx.Response.Header.Peek("Access-Control-Allow-Origin")) == 0 { // its Origin was not read
		write(ctx, read.ForEveryOrigin(""))
	}
	setHeader(&ctx.Response.Header, telemetry.RequestIDHeader, id)
	ctx.SetConnectionClose()
	kind := other
	s.Figures.count(ctx, &kind, time.Now())
}

// linger gives a connection up whose caller is still sending: the answer goes out, and what comes is dropped until the
// caller has seen it. Closing at once would make the caller's system throw the answer away.
func (s *Server) linger(ctx *fasthttp.RequestCtx) {
	s.lingering.Add(1)
	ctx.HijackSetNoResponse(true) // earlier answers on the connection are sent first; this one by the function
	ctx.Hijack(func(conn net.Conn) {
		defer s.lingering.Done()
		defer conn.Close()
		ctx.Response.Header.SetConnectionClose()
		if err := conn.SetWriteDeadline(time.Now().Add(s.Pace.Caller)); err != nil {
			return
		}
		if _, err := ctx.Response.WriteTo(conn); err != nil {
			return
		}
		if half, ok := ctx.Conn().(interface{ CloseWrite() error }); ok {
			if err := half.CloseWrite(); err != nil {
				return
			}
		}
		s.drop(conn, 5*time.Second)
	})
}

// drop reads and forgets what comes on a connection, for a while.
func (s *Server) drop(conn net.Conn, within time.Duration) {
	if err := conn.SetReadDeadline(time.Now().Add(within)); err == nil {
		_, _ = io.Copy(io.Discard, conn) // whatever ends it, the connection is given up
	}
}
