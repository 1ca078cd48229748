package origin

import (
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"

	"svc/shared/telemetry"
)

// hopByHop are the headers that concern one connection alone (RFC 9110, section 7.6.1) and are never passed on. So is
// Expect: the edge has answered it already.
var hopByHop = []string{
	"Connection", "Expect", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// dropHopByHop removes the hop-by-hop headers and those that Connection names.
func dropHopByHop(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				h.Del(name)
			}
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}

// requestHeader is what core gets of the headers of a request. Whom it comes from is the edge's word alone: what a
// caller claims is dropped.
func requestHeader(ctx *fasthttp.RequestCtx, c Call) http.Header {
	header := make(http.Header, ctx.Request.Header.Len()+4)
	for k, v := range ctx.Request.Header.All() {
		header.Add(string(k), string(v))
	}
	dropHopByHop(header)
	for name := range header {
		if strings.HasPrefix(name, "X-Forwarded-") {
			delete(header, name)
		}
	}
	for _, name := range []string{"Host", "Content-Length", "Forwarded", "X-Real-Ip"} {
		header.Del(name)
	}
	header.Set("X-Forwarded-For", c.Client.String())
	header.Set("X-Forwarded-Host", string(ctx.Host()))
	header.Set(telemetry.RequestIDHeader, c.RequestID)
	return header
}
