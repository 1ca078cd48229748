// Package origin forwards the requests that an edge does not answer itself to core, and asks core about unknown keys.
package origin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"svc/shared/fault"
)

// Forwarder passes requests on to core, streaming bodies both ways.
type Forwarder struct {
	cores     *Cores
	pace      Pace
	most      int64
	underWay  atomic.Int64
	exchanges sync.WaitGroup
	logger    *slog.Logger
}

// New returns a forwarder.
func New(cfg Config) *Forwarder {
	f := &Forwarder{cores: cfg.Cores, pace: cfg.Pace.withDefaults(), most: int64(cfg.Most), logger: cfg.Logger}
	if f.most == 0 {
		f.most = 1024
	}
	return f
}

// Wait returns when nothing is under way. No more may come by then.
func (f *Forwarder) Wait() { f.exchanges.Wait() }

// Call is a request to pass on, beside what its context holds.
type Call struct {
	// Target is the path and query as they were sent.
	Target string
	// Client is the address the request is counted under.
	Client    netip.Addr
	RequestID string
}

// Forward answers ctx with core's answer; where core cannot be reached, with UNAVAILABLE. It reports whether the caller
// is still sending more than is worth waiting for: the connection must then be given up after the answer.
func (f *Forwarder) Forward(ctx *fasthttp.RequestCtx, c Call) (sending bool) {
	target, err := address(f.cores.Base(), c.Target)
	if err != nil {
		WriteProblem(ctx, err, c.RequestID)
		return false
	}
	f.exchanges.Add(1)
	if f.underWay.Add(1) > f.most {
		f.leave()
		WriteProblem(ctx, &fault.Error{
			Code: fault.Unavailable, Detail: "too many requests are on their way to the management service", RetryAfter: time.Second,
		}, c.RequestID)
		return false
	}
	exchange, cancel := context.WithCancel(context.Background())
	body := newBody(ctx, f.pace)
	x := &answer{forwarder: f, ctx: ctx, call: c, body: body, cancel: cancel}
	response, err := f.cores.RoundTrip(f.request(exchange, ctx, c, target, body))
	switch {
	case err != nil:
		body.end()
		x.finish()
		x.fail(err)
	case response.StatusCode < http.StatusOK:
		response.Body.Close()
		body.end()
		x.finish()
		x.fail(errors.New("core switches protocols, which no one asked for"))
	default:
		x.give(response)
	}
	return body.sending()
}

func (f *Forwarder) leave() {
	f.underWay.Add(-1)
	f.exchanges.Done()
}

func (f *Forwarder) request(exchange context.Context, ctx *fasthttp.RequestCtx, c Call, target *url.URL, body *body) *http.Request {
	r := &http.Request{
		Method: string(ctx.Method()), URL: target, Host: target.Host, Header: requestHeader(ctx, c),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
	}
	if body.length != 0 {
		r.ContentLength, r.Body = body.length, body
	}
	return r.WithContext(exchange)
}
