package origin

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

var errAnswered = errors.New("the request was answered before its body was read")

// body is the body of a request on its way to core. Core may answer before it has read all of it, and the client's
// transport may then still be reading; end makes sure that nobody touches the connection's buffers afterwards.
type body struct {
	length int64 // -1: chunked
	mu     sync.Mutex
	r      io.Reader
	done   bool // everything was read
	ended  bool
}

func newBody(ctx *fasthttp.RequestCtx) *body {
	b := &body{length: max(-1, int64(ctx.Request.Header.ContentLength()))} // -2 is no body at all to fasthttp
	if ctx.Request.Header.ContentLength() == -2 {
		b.length = 0
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
	if b.ended {
		return 0, errAnswered
	}
	n, err := b.r.Read(p)
	if err == io.EOF {
		b.done = true
	}
	return n, err
}

// Close does nothing: the server owns the stream.
func (b *body) Close() error { return nil }

// end stops reading. A body that was not read to its end leaves the connection in the middle of a request, so the
// connection is given up after the answer.
func (b *body) end(ctx *fasthttp.RequestCtx) {
	if b.mu.TryLock() {
		defer b.mu.Unlock()
	} else {
		_ = ctx.Conn().SetReadDeadline(time.Now()) // wakes a read that waits for the caller
		b.mu.Lock()
		defer b.mu.Unlock()
	}
	b.ended = true
	if !b.done && !b.atEnd() {
		ctx.SetConnectionClose()
	}
}

// atEnd reports whether a body of known length was read whole, though its end was not yet asked for.
func (b *body) atEnd() bool {
	r, ok := b.r.(*bytes.Reader)
	return ok && r.Len() == 0
}
