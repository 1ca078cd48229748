package origin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/valyala/fasthttp"

	"svc/shared/fault"
)

// small is the size up to which an answer is read whole before it is sent.
const small = 16 << 10

// answer is core's answer on its way to the caller.
type answer struct {
	forwarder *Forwarder
	ctx       *fasthttp.RequestCtx
	call      Call
	body      *body
	cancel    context.CancelFunc
	stream    io.ReadCloser
	quiet     *time.Timer // ends the exchange where core pauses for too long
}

// finish lets go of what the exchange holds.
func (a *answer) finish() {
	a.cancel()
	a.forwarder.leave()
}

// give sends a response. Its status and headers go to ctx; a body of some size is streamed after the handler is done.
func (a *answer) give(response *http.Response) {
	if length := response.ContentLength; a.bodiless(response) {
		response.Body.Close()
		a.body.end()
		a.finish()
		a.head(response)
		if a.ctx.IsHead() {
			a.ctx.Response.SkipBody = true
			a.ctx.Response.Header.SetContentLength(int(max(-1, length)))
		}
	} else if length >= 0 && length <= small {
		a.giveWhole(response)
	} else {
		a.head(response)
		a.stream = response.Body
		a.quiet = time.AfterFunc(a.forwarder.pace.Core, a.cancel)
		a.quiet.Stop()
		if length < 0 && !a.ctx.Request.Header.IsHTTP11() {
			a.giveUntilClose()
			return
		}
		a.ctx.SetBodyStream(a, int(length))
	}
}

// giveUntilClose sends a body of unknown length to a caller of HTTP/1.0, who knows no chunks: it ends with the
// connection. One that breaks off resets it, or the caller would take the part for the whole.
func (a *answer) giveUntilClose() {
	a.ctx.HijackSetNoResponse(true)
	a.ctx.Hijack(func(conn net.Conn) {
		defer conn.Close()
		defer a.Close()
		h := &a.ctx.Response.Header
		h.SetContentLength(-2) // neither a length nor chunks
		err := conn.SetWriteDeadline(time.Now().Add(a.forwarder.pace.Caller))
		if err == nil {
			_, err = conn.Write(h.Header())
		}
		if err == nil {
			_, err = io.Copy(conn, a)
		}
		if tcp, ok := a.ctx.Conn().(interface{ SetLinger(seconds int) error }); ok && err != nil {
			_ = tcp.SetLinger(0)
		}
	})
}

func (a *answer) bodiless(response *http.Response) bool {
	return a.ctx.IsHead() || response.StatusCode == http.StatusNotModified || response.StatusCode == http.StatusNoContent
}

// giveWhole reads a small body first, so that an answer that breaks off is none.
func (a *answer) giveWhole(response *http.Response) {
	quiet := time.AfterFunc(a.forwarder.pace.Core, a.cancel)
	whole := make([]byte, response.ContentLength)
	_, err := io.ReadFull(response.Body, whole)
	quiet.Stop()
	response.Body.Close()
	a.body.end()
	a.finish()
	if err != nil {
		a.fail(fmt.Errorf("reading core's answer: %w", err))
		return
	}
	a.head(response)
	a.ctx.Response.SetBodyRaw(whole)
}

func (a *answer) head(response *http.Response) {
	dropHopByHop(response.Header)
	a.ctx.SetStatusCode(response.StatusCode)
	h := &a.ctx.Response.Header
	h.SetNoDefaultContentType(true)
	for name, values := range response.Header {
		if name == "Content-Length" {
			continue
		}
		for _, v := range values {
			h.Add(name, v)
		}
	}
}

// Read reads on behalf of the server, which writes to the caller what it got. Both are bounded.
func (a *answer) Read(p []byte) (int, error) {
	a.quiet.Reset(a.forwarder.pace.Core)
	n, err := a.stream.Read(p)
	a.quiet.Stop()
	if err != nil && err != io.EOF {
		a.forwarder.logger.Warn("core's answer broke off", "requestId", a.call.RequestID, "error", err)
	}
	if deadlineErr := a.ctx.Conn().SetWriteDeadline(time.Now().Add(a.forwarder.pace.Caller)); deadlineErr != nil && err == nil {
		err = deadlineErr
	}
	return n, err
}

// Close ends the exchange, no matter who broke it off.
func (a *answer) Close() error {
	a.quiet.Stop()
	err := a.stream.Close()
	a.body.end()
	a.finish()
	return err
}

// fail answers for an exchange without an answer, by whose fault it was.
func (a *answer) fail(err error) {
	switch sent := a.body.failure(); {
	case errors.Is(sent, os.ErrDeadlineExceeded):
		WriteProblemAs(a.ctx, http.StatusRequestTimeout, fault.New(fault.ValidationFailed, "the body of the request did not come in time"), a.call.RequestID)
	case sent != nil:
		WriteProblem(a.ctx, fault.New(fault.ValidationFailed, "the body of the request is not well-formed HTTP, or ended early"), a.call.RequestID)
	default:
		a.forwarder.logger.Warn("core does not answer", "requestId", a.call.RequestID, "error", err)
		WriteProblem(a.ctx, &fault.Error{
			Code: fault.Unavailable, Detail: "the management service cannot be reached at the moment; published content is still served",
			RetryAfter: 2 * time.Second, Err: err,
		}, a.call.RequestID)
	}
}
