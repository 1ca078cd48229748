package publish

import (
	"context"
	"strings"
	"sync"
)

// queue holds the logs that want work, each once. A log that is marked while somebody works on it comes up again
// afterwards, and no one works on it twice at a time. Organizations go first: what their logs carry is permission.
type queue struct {
	mu      sync.Mutex
	state   map[string]queueState
	urgent  []string
	waiting []string
	signal  chan struct{} // one token while there may be something to take
}

type queueState int

const (
	queued queueState = iota + 1
	working
	marked // while working
)

func newQueue() *queue {
	return &queue{state: map[string]queueState{}, signal: make(chan struct{}, 1)}
}

func (q *queue) add(log string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch q.state[log] {
	case queued, marked:
		return
	case working:
		q.state[log] = marked
		return
	}
	q.enqueue(log)
}

func (q *queue) enqueue(log string) {
	q.state[log] = queued
	if strings.HasPrefix(log, "org_") {
		q.urgent = append(q.urgent, log)
	} else {
		q.waiting = append(q.waiting, log)
	}
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// take waits for a log; done must follow. It returns false when the context ends.
func (q *queue) take(ctx context.Context) (string, bool) {
	for {
		if log, ok := q.pop(); ok {
			return log, true
		}
		select {
		case <-ctx.Done():
			return "", false
		case <-q.signal:
		}
	}
}

func (q *queue) pop() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	from := &q.waiting
	if len(q.urgent) > 0 {
		from = &q.urgent
	}
	if len(*from) == 0 {
		return "", false
	}
	log := (*from)[0]
	*from = (*from)[1:]
	q.state[log] = working
	if len(q.urgent)+len(q.waiting) > 0 {
		q.wake()
	}
	return log, true
}

func (q *queue) done(log string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state[log] == marked {
		q.enqueue(log)
		return
	}
	delete(q.state, log)
}
