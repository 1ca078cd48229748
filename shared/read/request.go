package read

import (
	"bytes"
	"net/url"
	"unsafe"

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

	// NoProject says that the core behind this engine has just answered this caller that there is no such project.
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
	case query.RouteBacklinks:
		dst = append(append(append(dst, "/entries/"...), r.Ref...), "/references"...)
	default:
		dst = append(dst, "/entries"...)
	}
	return dst
}

// Path is what the path of a request asks to read. Collection, a key, and Ref, the slug or id of an entry, are there as far as the
// route has them.
type Path struct {
	Route                    query.Route
	Project, Collection, Ref string
}

var (
	projects    = []byte("/v1/projects/")
	collections = []byte("collections")
	live        = []byte("live")
	entries     = []byte("entries")
	singleton   = []byte("singleton")
	references  = []byte("references")
)

// ParsePath tells whether a raw path is a public read, and of what:
//
//	/v1/projects/:project/collections
//	/v1/projects/:project/collections/:collection/entries
//	/v1/projects/:project/collections/:collection/entries/:slug
//	/v1/projects/:project/collections/:collection/entries/:slug/references
//	/v1/projects/:project/collections/:collection/singleton
//	/v1/projects/:project/live
//
// The parts point into path where nothing in them is escaped.
func ParsePath(path []byte) (p Path, ok bool) {
	rest, ok := bytes.CutPrefix(path, projects)
	if !ok {
		return p, false
	}
	part, rest := segment(rest)
	if p.Project, ok = unescape(part); !ok {
		return p, false
	}
	part, rest = segment(rest)
	switch {
	case bytes.Equal(part, live) && rest == nil:
		p.Route = query.RouteLive
		return p, true
	case !bytes.Equal(part, collections):
		return p, false
	}
	if rest == nil {
		p.Route = query.RouteCollections
		return p, true
	}
	part, rest = segment(rest)
	if p.Collection, ok = unescape(part); !ok {
		return p, false
	}
	part, rest = segment(rest)
	switch {
	case bytes.Equal(part, singleton) && rest == nil:
		p.Route = query.RouteSingleton
		return p, true
	case !bytes.Equal(part, entries):
		return p, false
	case rest == nil:
		p.Route = query.RouteList
		return p, true
	}
	part, rest = segment(rest)
	p.Ref, ok = unescape(part)
	switch {
	case rest == nil:
		p.Route = query.RouteEntry
	case bytes.Equal(rest, references):
		p.Route = query.RouteBacklinks
	default:
		ok = false
	}
	return p, ok
}

// segment cuts the first part of a path off; rest is nil where it was the last.
func segment(path []byte) (part, rest []byte) {
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return path, nil
}

// unescape decodes a segment. An empty or malformed one is in no path of a read.
func unescape(part []byte) (string, bool) {
	if len(part) == 0 {
		return "", false
	}
	if bytes.IndexByte(part, '%') < 0 {
		return unsafe.String(unsafe.SliceData(part), len(part)), true
	}
	s, err := url.PathUnescape(string(part))
	return s, err == nil && s != ""
}
