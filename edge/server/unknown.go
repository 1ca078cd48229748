package server

import (
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"svc/shared/read"
)

const (
	unknownFor  = time.Second
	mostUnknown = 10_000
)

// unknown remembers for a moment whom core has told that there is no such project, so that readers of one that is gone
// do not make an edge ask again and again. It says nothing of projects that the edge holds: the store is asked first,
// and a project that was just made is served as soon as it is there.
type unknown struct {
	now   func() time.Time
	seed  maphash.Seed
	mu    sync.Mutex
	until map[uint64]time.Time
}

// asker is who asked for what. Core tells one caller of a project and another that there is none.
type asker struct{ project, authorization string }

func newUnknown(now func() time.Time) *unknown {
	return &unknown{now: now, seed: maphash.MakeSeed(), until: map[uint64]time.Time{}}
}

func (u *unknown) knows(a asker) bool {
	key := maphash.Comparable(u.seed, a)
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.now().Before(u.until[key])
}

func (u *unknown) note(a asker) {
	key := maphash.Comparable(u.seed, a)
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.until) >= mostUnknown {
		clear(u.until)
	}
	u.until[key] = u.now().Add(unknownFor)
}

// isNoProject tells whether core's answer is that there is no such project. What it answers to a preview token, which may stand in
// the query, says nothing to others.
func isNoProject(answer *fasthttp.Response) bool {
	ofPreview := len(answer.Header.Peek("X-Robots-Tag")) > 0
	return answer.StatusCode() == http.StatusNotFound && !ofPreview && !answer.IsBodyStream() && read.IsNoProject(answer.Body())
}
