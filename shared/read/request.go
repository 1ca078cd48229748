package read

import (
	"svc/shared/query"
)

// Request is what a server knows of an HTTP request for a public read. Path segments are decoded. Strings may
// point into the server's buffers: nothing is kept beyond Serve but in the Response.
type Request struct {
	Method string
	Route  query.Route
	// Project is an id or a slug, Collection a key, Ref the slug or id of an entry; as far as the route has them.
	Project, Collection, Ref string
	RawQuery                 string

	// The request headers that matter. A header that came several times is joined with commas.
	Authorization  string
	Origin         string
	IfNoneMatch    string
	AcceptEncoding string
	MinRelease     *string // svc-min-release; nil where it did not come, since an empty one is malformed

	// NoProject says that whoever stands behind this engine has just answered this caller that there is no such project.
	// It counts where the store says so too: the store may have got the project since, or it may have been opened to all.
	NoProject bool

	// RequestID goes into problem bodies. Servers write the header svc-request-id themselves.
	RequestID string
}

// path is the canonical path of a request that was authorised; its parts are ids, slugs and keys by then.
func (r *Request) path(dst []byte) []byte {
	dst = append(append(dst, "/v1/projects/"...), r.Project...)
	dst = append(dst, "/collections"...)
	if r.Route == query.RouteCollections {
		return dst
	}
	dst = append(append(dst, '/'), r.Collection...)
	switch r.Route {
	case query.RouteSingleton:
		dst = append(dst, "/singleton"...)
	case query.RouteEntry:
		dst = append(append(dst, "/entries/"...), r.Ref...)
	default:
		dst = append(dst, "/entries"...)
	}
	return dst
}
