package follow

import "sync"

// tracker tells up to which message of the stream everything was handled, while messages are handled out of order.
type tracker struct {
	mu     sync.Mutex
	stream string
	seq    uint64 // of the newest message seen
	spans  []*span
	first  int // spans before this one are done
}

// span is a message that is not handled yet.
type span struct {
	tracker *tracker
	seq     uint64
	handled bool
}

// begin forgets all and starts at a place.
func (t *tracker) begin(c Cursor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream, t.seq = c.Stream, c.Seq
	t.spans, t.first = nil, 0
}

// pass notes a message that needs no handling.
func (t *tracker) pass(seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq = seq
}

// open notes a message that will be handled; the cursor stays before it until it is done.
func (t *tracker) open(seq uint64) *span {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq = seq
	s := &span{tracker: t, seq: seq}
	t.spans = append(t.spans, s)
	return s
}

func (s *span) done() {
	if s == nil {
		return
	}
	s.tracker.mu.Lock()
	defer s.tracker.mu.Unlock()
	s.handled = true
}

// cursor is the place up to which everything was handled.
func (t *tracker) cursor() Cursor {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.first < len(t.spans) && t.spans[t.first].handled {
		t.spans[t.first] = nil
		t.first++
	}
	if t.first == len(t.spans) {
		t.spans, t.first = t.spans[:0], 0
		return Cursor{Stream: t.stream, Seq: t.seq}
	}
	if t.first > 1024 && t.first > len(t.spans)/2 {
		t.spans = append([]*span(nil), t.spans[t.first:]...)
		t.first = 0
	}
	return Cursor{Stream: t.stream, Seq: t.spans[t.first].seq - 1}
}
