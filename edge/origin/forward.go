// Package origin is what an edge does with the requests it does not own: it passes them on to core.
package origin

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/valyala/fasthttp"

	"svc/shared/fault"
)

// Forwarder passes requests on to core, streaming bodies both ways.
type Forwarder struct {
	core      *url.URL
	transport *http.Transport
	logger    *slog.Logger
}

// New returns a forwarder to the core at this origin.
func New(core string, logger *slog.Logger) (*Forwarder, error) {
	u, err := url.Parse(core)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" {
		return nil, fmt.Errorf("SVC_CORE_URL is %q; it must be an origin such as http://core:7400", core)
	}
	return &Forwarder{
		core: u,
		transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			MaxIdleConnsPerHost:   256,
			IdleConnTimeout:       30 * time.Second,
			ResponseHeaderTimeout: 2 * time.Minute,
			ExpectContinueTimeout: time.Second,
			DisableCompression:    true, // codings are between core and the caller
		},
		logger: logger,
	}, nil
}

// Forward answers ctx with core's answer. Client is the address the request is counted under. Where core cannot be
// reached the answer is UNAVAILABLE; a caller who went away is not waited for.
func (f *Forwarder) Forward(ctx *fasthttp.RequestCtx, client netip.Addr, requestID string) {
	body := newBody(ctx)
	request, err := f.request(ctx, body, client, requestID)
	if err != nil {
		WriteProblem(ctx, err, requestID)
		return
	}
	response, err := f.transport.RoundTrip(request)
	body.end(ctx)
	if err != nil {
		WriteProblem(ctx, f.unreachable(err), requestID)
		return
	}
	f.answer(ctx, response)
}

// Close lets idle connections go.
func (f *Forwarder) Close() { f.transport.CloseIdleConnections() }

func (f *Forwarder) request(ctx *fasthttp.RequestCtx, body *body, client netip.Addr, requestID string) (*http.Request, error) {
	target, err := f.target(ctx)
	if err != nil {
		return nil, err
	}
	header := make(http.Header, ctx.Request.Header.Len()+4)
	for k, v := range ctx.Request.Header.All() {
		header.Add(string(k), string(v))
	}
	dropHopByHop(header)
	header.Del("Host")
	header.Del("Content-Length")
	// Whom the request comes from is the edge's word alone; what a caller claims is dropped.
	for name := range header {
		if len(name) > 12 && name[:12] == "X-Forwarded-" {
			header.Del(name)
		}
	}
	header.Del("Forwarded")
	header.Set("X-Forwarded-For", client.String())
	header.Set("X-Forwarded-Host", string(ctx.Host()))
	header.Set("Svc-Request-Id", requestID)
	r := &http.Request{
		Method: string(ctx.Method()), URL: target, Host: f.core.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
	}
	if body.length != 0 {
		r.ContentLength, r.Body = body.length, body
	}
	return r, nil
}

// target keeps the path and the query exactly as they were sent: decoding and cleaning is core's business.
func (f *Forwarder) target(ctx *fasthttp.RequestCtx) (*url.URL, error) {
	raw := string(ctx.URI().PathOriginal())
	path, err := url.PathUnescape(raw)
	if err != nil || raw == "" || raw[0] != '/' {
		return nil, fault.New(fault.ValidationFailed, "the path of the request is not well-formed")
	}
	target := *f.core
	target.Path, target.RawPath = path, raw
	target.RawQuery = string(ctx.URI().QueryString())
	return &target, nil
}

func (f *Forwarder) unreachable(err error) *fault.Error {
	f.logger.Warn("core does not answer", "error", err)
	return &fault.Error{
		Code: fault.Unavailable, Detail: "the management service cannot be reached at the moment; published content is still served",
		RetryAfter: 2 * time.Second, Err: err,
	}
}

func (f *Forwarder) answer(ctx *fasthttp.RequestCtx, response *http.Response) {
	dropHopByHop(response.Header)
	ctx.SetStatusCode(response.StatusCode)
	h := &ctx.Response.Header
	h.SetNoDefaultContentType(true)
	for name, values := range response.Header {
		if name == "Content-Length" {
			continue
		}
		for _, v := range values {
			h.Add(name, v)
		}
	}
	if ctx.IsHead() || response.StatusCode == http.StatusNotModified || response.StatusCode == http.StatusNoContent {
		response.Body.Close()
		if ctx.IsHead() && response.ContentLength >= 0 {
			ctx.Response.SkipBody = true
			h.SetContentLength(int(response.ContentLength))
		}
		return
	}
	ctx.SetBodyStream(response.Body, int(response.ContentLength)) // closes the body
}
