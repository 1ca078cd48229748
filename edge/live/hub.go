package live

import (
	"cmp"
	"container/list"
	"sync"

	"svc/shared/content"
)

const (
	maxEvents     = 256 // kept of a project
	defaultMemory = 8 << 20
)

// Config is what a hub is made of.
type Config struct {
	// Position returns where this edge stands in the log of a project, and false where it does not hold the project.
	Position func(content.ProjectID) (seq uint64, held bool)
	// Memory bounds the events that are kept of all projects, in bytes. 0 is 8 MiB.
	Memory int
}

// Hub keeps the newest events of projects and wakes those who follow them. Its methods may be called from several goroutines.
type Hub struct {
	Config

	mu     sync.Mutex
	topics map[content.ProjectID]*topic
	recent list.List // of the topics that keep events; the one that changed last comes first
	size   int       // of all events kept, in bytes
}

// topic is one project: the events after base, without gaps. It is there while it keeps events or has readers.
type topic struct {
	project content.ProjectID
	base    uint64
	events  []*Event
	size    int           // of events, in bytes
	resets  int           // counts how often the log was loaded again
	changed chan struct{} // closed at the next change
	readers int
	place   *list.Element // in recent; nil while it keeps no events
}

// New returns a hub without events.
func New(cfg Config) *Hub {
	cfg.Memory = cmp.Or(cfg.Memory, defaultMemory)
	return &Hub{Config: cfg, topics: map[content.ProjectID]*topic{}}
}

func (t *topic) newest() uint64 { return t.base + uint64(len(t.events)) }

// Publish adds the event of a change that readers can see now. It does not block.
func (h *Hub) Publish(e *Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(e.Project, e.Seq-1)
	if e.Seq <= t.newest() {
		return // the position of the log was read after this change was stored
	}
	if e.Seq != t.newest()+1 {
		h.clear(t, e.Seq-1)
	}
	h.keep(t, e)
	t.wake()
}

// Reset forgets the events of a project whose log was loaded again, up to a sequence number, or dropped.
func (h *Hub) Reset(project content.ProjectID, seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[project]
	if t == nil {
		return
	}
	h.clear(t, seq)
	t.resets++
	t.wake()
	h.release(t)
}

// topic returns the topic of a project; a new one keeps what comes after base.
func (h *Hub) topic(project content.ProjectID, base uint64) *topic {
	t := h.topics[project]
	if t == nil {
		t = &topic{project: project, base: base, changed: make(chan struct{})}
		h.topics[project] = t
	}
	return t
}

// keep adds an event, and forgets old ones to make room.
func (h *Hub) keep(t *topic, e *Event) {
	t.events = append(t.events, e)
	h.grow(t, e.size())
	if len(t.events) > maxEvents {
		h.grow(t, -t.events[0].size())
		t.events = t.events[1:]
		t.base++
	}
	if t.place == nil {
		t.place = h.recent.PushFront(t)
	} else {
		h.recent.MoveToFront(t.place)
	}
	for h.size > h.Memory {
		oldest := h.recent.Back().Value.(*topic)
		h.clear(oldest, oldest.newest())
		h.release(oldest)
	}
}

func (h *Hub) grow(t *topic, bytes int) {
	t.size += bytes
	h.size += bytes
}

// clear forgets the events of a topic, which then keeps those after base.
func (h *Hub) clear(t *topic, base uint64) {
	h.grow(t, -t.size)
	t.events, t.base = nil, base
	if t.place != nil {
		h.recent.Remove(t.place)
		t.place = nil
	}
}

// release forgets a topic that no one needs.
func (h *Hub) release(t *topic) {
	if t.readers == 0 && t.place == nil {
		delete(h.topics, t.project)
	}
}

// wake tells all readers that there is more.
func (t *topic) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}
