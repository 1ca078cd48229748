package live

import (
	"strconv"

	"svc/shared/content"
)

// Subscription is the place of one reader in the events of a project. One goroutine uses it, and closes it.
type Subscription struct {
	hub    *Hub
	topic  *topic
	after  uint64 // the last event that was taken
	notice Notice
	resets int // those of the topic that the reader knows of
}

// Batch is what a reader gets at a time: a notice, if there is one, and the events after Position.
type Batch struct {
	Notice   Notice
	Position uint64
	Events   []*Event
	Changed  <-chan struct{} // closed once there is more
}

// Subscribe begins behind the event that a reader names, by its id as it came in Last-Event-ID, or at the present where it names
// none. It reports false where this edge does not hold the project.
func (h *Hub) Subscribe(project content.ProjectID, last string) (*Subscription, bool) {
	// Asked for without the lock: a store that is about to publish a change may wait for that lock while it holds its own.
	position, held := h.Position(project)
	if !held {
		return nil, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(project, position)
	t.readers++
	s := &Subscription{hub: h, topic: t, resets: t.resets}
	s.after, s.notice = t.begin(last)
	return s, true
}

// begin is where a reader begins.
func (t *topic) begin(last string) (after uint64, n Notice) {
	if last == "" {
		return t.newest(), Start
	}
	id, err := strconv.ParseUint(last, 10, 64)
	if err != nil || id < t.base || id > t.newest() {
		return t.newest(), Reset
	}
	return id, NoNotice
}

// Next returns what came since the last call. A reader that has fallen behind what is kept gets a reset.
func (s *Subscription) Next() Batch {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	t := s.topic
	if s.resets != t.resets || s.after < t.base {
		s.after, s.notice, s.resets = t.newest(), Reset, t.resets
	}
	b := Batch{Notice: s.notice, Position: s.after, Events: t.events[s.after-t.base:], Changed: t.changed}
	s.after, s.notice = t.newest(), NoNotice
	return b
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.topic.readers--
	s.hub.release(s.topic)
}
