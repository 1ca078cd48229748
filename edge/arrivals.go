package edge

import (
	"context"
	"sync"

	"svc/shared/content"
)

// arrivals lets reads wait for a release that is on its way.
type arrivals struct {
	mu   sync.Mutex
	logs map[string]*arrival
}

type arrival struct {
	head uint64        // the newest release that readers can see
	next chan struct{} // closed when that changes; nil while nobody waits
}

func newArrivals() *arrivals { return &arrivals{logs: map[string]*arrival{}} }

// arrived notes the newest release of a log, once readers can see it.
func (a *arrivals) arrived(log string, head uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.log(log)
	l.head = head
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// await returns once a release of a project has arrived since the program started, or with the error of ctx. A
// reader that found the release missing before it came here misses no arrival.
func (a *arrivals) await(ctx context.Context, project content.ProjectID, release uint64) error {
	for {
		next := a.pending(string(project), release)
		if next == nil {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pending returns what announces the next arrival, and nil where the release is here.
func (a *arrivals) pending(log string, release uint64) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.log(log)
	if l.head >= release {
		return nil
	}
	if l.next == nil {
		l.next = make(chan struct{})
	}
	return l.next
}

func (a *arrivals) log(id string) *arrival {
	l := a.logs[id]
	if l == nil {
		l = &arrival{}
		a.logs[id] = l
	}
	return l
}
