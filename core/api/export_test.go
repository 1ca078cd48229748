package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/shared/credential"
)

// RouteInfo is a line of the route table, for tests.
type RouteInfo struct {
	Method, Path string
	Scope        credential.Scope
	Query        []string
	Whole        bool
	// Anywhere: it answers for projects out of reach too.
	Anywhere bool
}

// Table is the route table.
func Table() []RouteInfo {
	var out []RouteInfo
	for _, r := range routes() {
		out = append(out, RouteInfo{r.method, r.path, r.scope, r.query, r.is(whole), r.is(anywhere)})
	}
	return out
}

// Tools are the names of the tools that can be asked about.
func Tools() []string { return slices.Sorted(maps.Keys(tools)) }

// SetPace makes a server less patient.
func SetPace(s *Server, grace time.Duration, rate int64) { s.pace.grace, s.pace.rate = grace, rate }

// SetPatience changes how long a request waits for the first one with its key.
func SetPatience(s *Server, patience time.Duration) { s.patience = patience }

// SetTimes changes how long a server works on a request.
func SetTimes(s *Server, d time.Duration) { s.times = times{d, d, d, d} }

// Decode is how request bodies are read.
var Decode = decode

// Importing is the number of streamed imports that are running.
func Importing(s *Server) int {
	s.imports.mu.Lock()
	defer s.imports.mu.Unlock()
	return s.imports.takenAll
}

// SetRoom changes how many bytes of large bodies a server holds, and how long others wait.
func SetRoom(s *Server, size int64, wait time.Duration) {
	s.bodies = &bodies{semaphore.NewWeighted(size), wait}
}

// HasRoom reports whether there is room for a large body now.
func HasRoom(s *Server, size int64) bool {
	if !s.bodies.room.TryAcquire(size) {
		return false
	}
	s.bodies.room.Release(size)
	return true
}

// Late is how failures are told once the time for a request is over.
var Late = late

// Limited is the context for the work on a request.
func Limited(ctx context.Context, d time.Duration) (context.Context, func()) {
	limitedTo, _, end := limited((&http.Request{}).WithContext(ctx), d)
	return limitedTo, end
}
