package server

import (
	"context"
	"net/netip"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"svc/edge/limit"
	"svc/edge/origin"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
)

// read answers a public read from the edge's own store, or passes it on where the engine says so.
func (s *Server) read(ctx *fasthttp.RequestCtx, t target, client netip.Addr, id string) {
	if !ctx.IsOptions() {
		if err := s.spend(ctx, t, client); err != nil {
			origin.WriteProblem(ctx, err, id)
			return
		}
	}
	h := &ctx.Request.Header
	response := s.Engine.Serve(context.Background(), &read.Request{
		Method: view(ctx.Method()), Route: t.kind, Project: t.project, Collection: t.collection, Ref: t.ref,
		RawQuery:      view(ctx.URI().QueryString()),
		Authorization: joined(h, fasthttp.HeaderAuthorization), Origin: joined(h, fasthttp.HeaderOrigin),
		IfNoneMatch: joined(h, fasthttp.HeaderIfNoneMatch), AcceptEncoding: joined(h, fasthttp.HeaderAcceptEncoding),
		MinRelease: joined(h, "Svc-Min-Release"), RequestID: id,
	})
	defer response.Release()
	if response.Forward {
		s.Forwarder.Forward(ctx, client, id)
		return
	}
	if response.Err != nil {
		s.Logger.Error("a read failed", "requestId", id, "route", t.kind, "error", response.Err)
	}
	s.send(ctx, t.kind, response)
}

// spend counts the read under its caller and project; all projects that are not held here count as one, or a caller
// would only need to make names up.
func (s *Server) spend(ctx *fasthttp.RequestCtx, t target, client netip.Addr) error {
	project, _ := s.Resolve(t.project)
	d := s.Limiter.Allow(client, string(project))
	s.writeLimit(ctx, d)
	if d.Allowed {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, Detail: "too many reads from this address", RetryAfter: d.RetryAfter}
}

func (s *Server) send(ctx *fasthttp.RequestCtx, kind query.Route, response *read.Response) {
	ctx.SetStatusCode(response.Status)
	out := &ctx.Response.Header
	for _, header := range response.Headers {
		out.Set(header.Name, header.Value)
	}
	if age, stale := s.Status.Stale(); stale {
		out.Set("Svc-Stale", strconv.FormatInt(int64(age/time.Second), 10))
	}
	if ctx.IsHead() {
		ctx.Response.SkipBody = true
		out.SetContentLength(len(response.Body))
		return
	}
	ctx.Response.SetBody(response.Body)
}

// writeLimit tells the caller where it stands, in the fields of the IETF draft.
func (s *Server) writeLimit(ctx *fasthttp.RequestCtx, d limit.Decision) {
	out := &ctx.Response.Header
	out.Set("RateLimit-Policy", s.Limiter.PolicyHeader())
	var room [64]byte
	b := append(room[:0], `"reads";r=`...)
	b = strconv.AppendInt(b, int64(d.Remaining), 10)
	b = append(b, ";t="...)
	b = strconv.AppendInt(b, int64((d.Reset+time.Second-1)/time.Second), 10)
	out.SetBytesV("RateLimit", b)
}

// joined is a header's value; several of one name are one list.
func joined(h *fasthttp.RequestHeader, name string) string {
	first := h.Peek(name)
	if len(first) == 0 {
		return ""
	}
	all := h.PeekAll(name)
	if len(all) == 1 {
		return view(first)
	}
	var b []byte
	for i, v := range all {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, v...)
	}
	return view(b)
}
