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

	plain, coded, key []byte  // buffers, kept from answer to answer; key is that of the cache
	pieces            []piece // of plain
	room              [16]problem.Header
	exchange          exchange // that makes the response
}

// maxKept bounds the buffers that are kept.
const maxKept = 1 << 20

var responses = sync.Pool{New: func() any { return new(Response) }}

// newExchange begins an exchange and its response.
func newExchange(e *Engine, req *Request) *exchange {
	r := responses.Get().(*Response)
	r.Headers = r.room[:0]
	x := &r.exchange
	x.Engine, x.req, x.resp = e, *req, r
	return x
}

// end ends the exchange and returns its response, which may be sent for long: it must not hold on to the view and the request.
func (x *exchange) end() *Response {
	r := x.resp
	*x = exchange{}
	return r
}

// Release gives the response's memory back. A response that is never released is simply garbage.
func (r *Response) Release() {
	r.Status, r.Headers, r.Body, r.Forward, r.Rights, r.Err = 0, nil, nil, false, nil, nil
	r.plain, r.coded, r.key = emptied(r.plain), emptied(r.coded), emptied(r.key)
	clear(r.pieces)
	r.pieces = r.pieces[:0]
	clear(r.room[:])
	responses.Put(r)
}

// emptied is a buffer to be used again; nil where it grew too large to keep.
func emptied(b []byte) []byte {
	if cap(b) > maxKept {
		return nil
	}
	return b[:0]
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
