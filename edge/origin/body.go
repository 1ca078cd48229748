package origin

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// drained is how much of a body the server reads and drops to keep a connection. It is fasthttp's figure.
const drained = 256 << 10

var errAnswered = errors.New("the request was answered before its body was read")

// body is the body of a request on its way to core. Core may answer before it has read all of it, and the client's
// transport may then still be reading; end makes sure that no one touches the connection's buffers afterwards.
type body struct {
	length   int64 // -1: chunked
	conn     net.Conn
	pace     Pace
	deadline time.Time // for the whole

	mu    sync.Mutex
	r     io.Reader
	read  int64
	done  bool  // everything was read
	err   error // why reading failed
	ended bool
}

func newBody(ctx *fasthttp.RequestCtx, pace Pace) *body {
	b := &body{length: int64(ctx.Request.Header.ContentLength()), conn: ctx.Conn(), pace: pace, deadline: time.Now().Add(pace.Body)}
	if b.length < -1 {
		b.length = 0 // no body at all
	}
	if b.r = ctx.RequestBodyStream(); b.r == nil {
		b.r = bytes.NewReader(ctx.PostBody())
	}
	b.done = b.length == 0
	return b
}

// Read reads on behalf of the transport.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return 0, errAnswered
	case b.err != nil:
		return 0, b.err
	case b.done:
		return 0, io.EOF
	}
	next := time.Now().Add(b.pace.Caller)
	if next.After(b.deadline) {
		next = b.deadline
	}
	if err := b.conn.SetReadDeadline(next); err != nil {
		return 0, b.failed(err)
	}
	n, err := b.r.Read(p)
	b.read += int64(n)
	switch {
	case b.length > 0 && b.read == b.length:
		b.done, err = true, io.EOF
	case err == io.EOF && b.length > 0:
		return n, b.failed(io.ErrUnexpectedEOF)
	case err == io.EOF:
		b.done = true
	case err != nil:
		return n, b.failed(err)
	}
	return n, err
}

func (b *body) failed(err error) error {
	b.err = err
	return err
}

// Close does nothing: the server owns the stream.
func (b *body) Close() error { return nil }

// end stops reading. It may be called again.
func (b *body) end() {
	if !b.mu.TryLock() {
		_ = b.conn.SetReadDeadline(time.Now()) // wakes a read that waits for the caller
		b.mu.Lock()
		_ = b.conn.SetReadDeadline(time.Now().Add(b.pace.Caller)) // for what the server drops
	}
	defer b.mu.Unlock()
	b.ended = true
}

// failure is why the body could not be read, or nil.
func (b *body) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// sending reports whether so much of the body may still come that the connection is not worth keeping. What is less,
// the server drops. While the exchange goes on no one can tell, and the server decides when it is over.
func (b *body) sending() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended && !b.done && (b.length < 0 || b.err != nil || b.length-b.read > drained)
}
