package follow

import (
	"context"
	"sync"
)

// queue is where logs wait for a worker, each at most once; first come, first served.
type queue struct {
	mu      sync.Mutex
	waiting []*log
	signal  chan struct{} // holds one token while somebody may be waiting
}

func newQueue() *queue { return &queue{signal: make(chan struct{}, 1)} }

func (q *queue) push(l *log) {
	q.mu.Lock()
	q.waiting = append(q.waiting, l)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// pop waits for a log; nil where the context ended.
func (q *queue) pop(ctx context.Context) *log {
	for {
		if l := q.take(); l != nil {
			return l
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.signal:
		}
	}
}

func (q *queue) take() *log {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	l := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	if len(q.waiting) > 0 {
		q.wake() // for the next worker
	}
	return l
}
