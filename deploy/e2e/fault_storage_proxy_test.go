package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/deploy/local"
)

// mood is how object storage treats who uses it.
type mood string

const (
	sound  mood = "sound"
	absent mood = "absent" // connections are reset
	slow   mood = "slow"   // a few bytes now and then, either way
	wrong  mood = "wrong"  // objects come back with other bytes
	half   mood = "half"   // transfers break off in the middle, either way
)

// storage stands between the parts and their object storage.
type storage struct {
	server *httptest.Server
	stack  atomic.Pointer[local.Stack]

	mu      sync.Mutex
	mood    mood
	changed chan struct{} // closed when the mood changes
	spoiled int           // exchanges in this mood that were not what they should be
}

func newStorage(t *testing.T) *storage {
	s := &storage{mood: sound, changed: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			target, err := url.Parse(s.stack.Load().ServiceURL(local.S3))
			if err != nil {
				t.Error(err)
				return
			}
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is part of what is signed
		},
		ModifyResponse: s.answer,
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, _ error) {
			panic(http.ErrAbortHandler) // the connection is reset
		},
	}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.take(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.turn(sound)
		s.server.Close()
	})
	return s
}

// endpoint is what the parts take for their object storage. It gives transfers up soon.
func (s *storage) endpoint() []string {
	return []string{"SVC_S3_ENDPOINT=" + s.server.URL, "SVC_S3_STALL_TIMEOUT=2s"}
}

// turn changes the mood, and returns how many exchanges suffered from the former one.
func (s *storage) turn(to mood) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	spoiled := s.spoiled
	s.mood, s.spoiled = to, 0
	close(s.changed)
	s.changed = make(chan struct{})
	return spoiled
}

// now returns the mood, and counts an exchange that suffers from one of these.
func (s *storage) now(from ...mood) (mood, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range from {
		if s.mood == m {
			s.spoiled++
		}
	}
	return s.mood, s.changed
}

// take treats a request.
func (s *storage) take(r *http.Request) {
	writes := r.Method == http.MethodPut || r.Method == http.MethodPost
	m, changed := s.now(absent)
	if m == absent || s.stack.Load() == nil {
		panic(http.ErrAbortHandler)
	}
	if !writes || r.ContentLength <= 0 {
		return
	}
	switch m {
	case slow:
		s.now(slow)
		r.Body = &trickle{ReadCloser: r.Body, ctx: r.Context(), changed: changed}
	case half:
		s.now(half)
		if _, err := io.CopyN(io.Discard, r.Body, r.ContentLength/2); err == nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// answer treats the answer to a read of an object.
func (s *storage) answer(r *http.Response) error {
	if r.Request.Method != http.MethodGet || r.StatusCode != http.StatusOK || r.ContentLength <= 0 || r.Request.URL.Query().Has("list-type") {
		return nil
	}
	m, changed := s.now(slow, wrong, half)
	switch m {
	case slow:
		r.Body = &trickle{ReadCloser: r.Body, ctx: r.Request.Context(), changed: changed}
	case wrong:
		r.Body = &flipping{r.Body}
	case half:
		r.Body = &breaking{r.Body, r.ContentLength / 2}
	}
	return nil
}

// trickle lets a few bytes through now and then, until the mood changes.
type trickle struct {
	io.ReadCloser
	ctx     context.Context
	changed <-chan struct{}
}

func (r *trickle) Read(p []byte) (int, error) {
	select {
	case <-r.changed:
		return r.ReadCloser.Read(p)
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case <-time.After(50 * time.Millisecond):
		return r.ReadCloser.Read(p[:min(len(p), 100)])
	}
}

// flipping gives other bytes than there are.
type flipping struct{ io.ReadCloser }

func (r *flipping) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	for i := range n {
		p[i] ^= 1
	}
	return n, err
}

// breaking breaks off after so many bytes.
type breaking struct {
	io.ReadCloser
	left int64
}

func (r *breaking) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := r.ReadCloser.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}
