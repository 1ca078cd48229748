package read

import (
	"sync"

	"svc/shared/problem"
)

// Response is an answer as it goes over the wire. It and everything in it is valid until Release.
type Response struct {
	Status int
	// Headers are in the order of writing, each name once.
	Headers []problem.Header
	// Body is nil where the answer has none. For HEAD it is the body that GET would send: servers leave it out and
	// keep its length.
	Body []byte
	// Forward is set where somebody else answers, and nothing else is then: on an edge it is core; on core it is the
	// management view of the same path, which also gets the Headers.
	Forward bool
	// Rights is set where events follow the head of the answer for as long as the caller may read them (RouteLive); the server
	// sends them.
	Rights *Rights
	// Err is what to log: a failure of the service, not of the caller.
	Err error

	plain, coded []byte  // buffers, kept from answer to answer
	pieces       []piece // of plain
	room         [16]problem.Header
}

// maxKept bounds the buffers that are kept.
const maxKept = 1 << 20

var responses = sync.Pool{New: func() any { return new(Response) }}

func newResponse() *Response {
	r := responses.Get().(*Response)
	r.Headers = r.room[:0]
	return r
}

// Release gives the response's memory back. A response that is never released is simply garbage.
func (r *Response) Release() {
	plain, coded, pieces := r.plain[:0], r.coded[:0], r.pieces[:0]
	clear(r.pieces)
	if cap(plain) > maxKept {
		plain = nil
	}
	if cap(coded) > maxKept {
		coded = nil
	}
	*r = Response{plain: plain, coded: coded, pieces: pieces}
	responses.Put(r)
}

// Held is the size of what the response holds until Release, in bytes: the body, and what it was compressed from.
func (r *Response) Held() int {
	if len(r.coded) == 0 {
		return len(r.Body)
	}
	return len(r.plain) + len(r.coded)
}

// Header returns the value of a header, and an empty string where the answer has none of that name.
func (r *Response) Header(name string) string {
	for _, h := range r.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

func (r *Response) set(name, value string) {
	r.Headers = append(r.Headers, problem.Header{Name: name, Value: value})
}
