package read

import (
	"bytes"
	"net/url"
	"unsafe"

	"svc/shared/query"
)

// Path is what the path of a request asks to read. Collection, a key, and Ref, the slug or id of an entry, are there as far as the
// route has them.
type Path struct {
	Route                    query.Route
	Project, Collection, Ref string
}

var (
	projects    = []byte("/v1/projects/")
	collections = []byte("collections")
	entries     = []byte("entries")
	singleton   = []byte("singleton")
)

// ParsePath tells whether a raw path is a public read, and of what:
//
//	/v1/projects/:project/collections
//	/v1/projects/:project/collections/:collection/entries
//	/v1/projects/:project/collections/:collection/entries/:slug
//	/v1/projects/:project/collections/:collection/singleton
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
	if part, rest = segment(rest); !bytes.Equal(part, collections) {
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
	p.Route = query.RouteEntry
	p.Ref, ok = unescape(part)
	return p, ok && rest == nil
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
