package server

import (
	"bytes"
	"net/url"
	"unsafe"

	"svc/shared/query"
)

// target is what a path asks an edge to read.
type target struct {
	kind                     query.Route
	project, collection, ref string
}

var (
	projects    = []byte("/v1/projects/")
	collections = []byte("collections")
	entries     = []byte("entries")
	singleton   = []byte("singleton")
)

// readTarget tells whether a raw path is a public read, and of what:
//
//	/v1/projects/:project/collections
//	/v1/projects/:project/collections/:collection/entries
//	/v1/projects/:project/collections/:collection/entries/:slug
//	/v1/projects/:project/collections/:collection/singleton
//
// The parts of the target point into path where nothing in them is escaped.
func readTarget(path []byte) (t target, ok bool) {
	rest, ok := bytes.CutPrefix(path, projects)
	if !ok {
		return t, false
	}
	part, rest := segment(rest)
	if t.project, ok = unescape(part); !ok {
		return t, false
	}
	if part, rest = segment(rest); !bytes.Equal(part, collections) {
		return t, false
	}
	if rest == nil {
		t.kind = query.RouteCollections
		return t, true
	}
	part, rest = segment(rest)
	if t.collection, ok = unescape(part); !ok {
		return t, false
	}
	part, rest = segment(rest)
	switch {
	case bytes.Equal(part, singleton) && rest == nil:
		t.kind = query.RouteSingleton
		return t, true
	case !bytes.Equal(part, entries):
		return t, false
	case rest == nil:
		t.kind = query.RouteList
		return t, true
	}
	part, rest = segment(rest)
	t.kind = query.RouteEntry
	t.ref, ok = unescape(part)
	return t, ok && rest == nil
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
