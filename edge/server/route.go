package server

import (
	"bytes"
	"net/url"
	"unsafe"

	"svc/shared/query"
)

// asked is what a path asks an edge to read.
type asked struct {
	kind                     query.Route
	project, collection, ref string
}

var (
	projects    = []byte("/v1/projects/")
	collections = []byte("collections")
	entries     = []byte("entries")
	singleton   = []byte("singleton")
)

// asksToRead tells whether a raw path is a public read, and of what:
//
//	/v1/projects/:project/collections
//	/v1/projects/:project/collections/:collection/entries
//	/v1/projects/:project/collections/:collection/entries/:slug
//	/v1/projects/:project/collections/:collection/singleton
//
// The parts point into path where nothing in them is escaped.
func asksToRead(path []byte) (a asked, ok bool) {
	rest, ok := bytes.CutPrefix(path, projects)
	if !ok {
		return a, false
	}
	part, rest := segment(rest)
	if a.project, ok = unescape(part); !ok {
		return a, false
	}
	if part, rest = segment(rest); !bytes.Equal(part, collections) {
		return a, false
	}
	if rest == nil {
		a.kind = query.RouteCollections
		return a, true
	}
	part, rest = segment(rest)
	if a.collection, ok = unescape(part); !ok {
		return a, false
	}
	part, rest = segment(rest)
	switch {
	case bytes.Equal(part, singleton) && rest == nil:
		a.kind = query.RouteSingleton
		return a, true
	case !bytes.Equal(part, entries):
		return a, false
	case rest == nil:
		a.kind = query.RouteList
		return a, true
	}
	part, rest = segment(rest)
	a.kind = query.RouteEntry
	a.ref, ok = unescape(part)
	return a, ok && rest == nil
}

// segment cuts the first part of a path off; rest is nil where it was the last.
func segment(path []byte) (part, rest []byte) {
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return path, nil
}

// unescape decodes a segment. An empty or malformed one is none of an edge's business.
func unescape(part []byte) (string, bool) {
	if len(part) == 0 {
		return "", false
	}
	if bytes.IndexByte(part, '%') < 0 {
		return view(part), true
	}
	s, err := url.PathUnescape(string(part))
	return s, err == nil && s != ""
}

// view is b as a string without a copy; it is good while the request is.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
