package read

import (
	"context"

	"svc/shared/cors"
	"svc/shared/problem"
	"svc/shared/query"
)

const (
	allowedMethods = "GET, HEAD, OPTIONS"
	allowedHeaders = "authorization, if-none-match, svc-min-release"
	resumeHeaders  = allowedHeaders + ", last-event-id" // of a page that follows live events by fetch
	exposedHeaders = "etag, svc-release, svc-request-id, ratelimit, retry-after"
	vary           = "Origin, Accept-Encoding"
	preflightAge   = "600"               // seconds
	robots         = "noindex, nofollow" // of everything that a preview token was shown for
)

// Headers are what every answer of a public route carries: who may read it, and what it varies by. Servers add them to the
// answers that they give themselves; those of the engine have them. Of the request they need the method, the path, the query, the
// credential and the origin.
func (e *Engine) Headers(ctx context.Context, req *Request) []problem.Header {
	x := exchange{Engine: e, req: *req, resp: &Response{}}
	x.query, _ = query.Parse(req.Route, req.RawQuery)
	x.preview = req.hasPreviewToken(&x.query)
	if view, err := x.open(ctx); err == nil && view != nil {
		x.project = view.Project()
		defer view.Close()
	}
	x.common()
	return x.resp.Headers
}

// common begins the answer again, with the headers that every answer carries: an origin that may read it is named in the form that
// browsers send, any other is not.
func (x *exchange) common() {
	x.resp.Headers = append(x.resp.Headers[:0], problem.Header{Name: "Vary", Value: vary})
	if x.preview {
		x.resp.set("X-Robots-Tag", robots)
	}
	if x.req.Origin == "" {
		return
	}
	origin, allowed := x.allowedOrigin()
	if !allowed {
		return
	}
	x.resp.set("Access-Control-Allow-Origin", origin)
	if x.req.Method != "OPTIONS" {
		x.resp.set("Access-Control-Expose-Headers", exposedHeaders)
	}
}

// ForEveryOrigin are the CORS headers of an answer that pages of every origin may read, whichever asked.
func ForEveryOrigin(method string) []problem.Header {
	headers := []problem.Header{{Name: "Access-Control-Allow-Origin", Value: "*"}}
	if method != "OPTIONS" {
		headers = append(headers, problem.Header{Name: "Access-Control-Expose-Headers", Value: exposedHeaders})
	}
	return headers
}

// allowedOrigin is the CORS step. That there is no such project is readable from everywhere (interface, "CORS"): there is no one
// whose list could be asked.
func (x *exchange) allowedOrigin() (canonical string, allowed bool) {
	if x.hidden() {
		return cors.Canonical(x.req.Origin)
	}
	canonical, verdict := cors.Decide(x.req.Origin, x.project.AllowedOrigins, x.LocalOrigins)
	return canonical, verdict.Allows()
}

// preflight answers OPTIONS. It needs no credential, since browsers send none with it.
func (x *exchange) preflight() {
	x.resp.Status = 204
	x.resp.set("Allow", allowedMethods)
	if x.resp.Header("Access-Control-Allow-Origin") != "" {
		x.resp.set("Access-Control-Allow-Methods", allowedMethods)
		if x.req.Route == query.RouteLive {
			x.resp.set("Access-Control-Allow-Headers", resumeHeaders)
		} else {
			x.resp.set("Access-Control-Allow-Headers", allowedHeaders)
		}
		x.resp.set("Access-Control-Max-Age", preflightAge)
	}
}
