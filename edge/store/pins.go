package store

import (
	"sync"

	"svc/shared/content"
	"svc/shared/read"
)

// pins remembers what reads at old releases begin with. It belongs to a generation, in which none of that changes.
type pins struct {
	mu       sync.Mutex
	releases map[uint64]content.Release
	touches  map[pinOf]lastChange
}

type pinOf struct {
	collection uint32
	pin        uint64
}

// maxPins bounds the pins remembered of each kind: frontends read few at a time.
const maxPins = 64

func newPins() *pins {
	return &pins{releases: map[uint64]content.Release{}, touches: map[pinOf]lastChange{}}
}

func (p *pins) release(n uint64) (content.Release, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.releases[n]
	return r, ok
}

func (p *pins) noteRelease(r content.Release) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.releases) >= maxPins {
		clear(p.releases)
	}
	p.releases[r.Number] = r
}

func (p *pins) lastChange(c uint32, pin uint64) (lastChange, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.touches[pinOf{c, pin}]
	return t, ok
}

// noteTouch keeps what changed a collection last at a pin, once a later release did too: then it stays so.
func (p *pins) noteTouch(c uint32, pin uint64, t lastChange) {
	if !t.later {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.touches) >= maxPins {
		clear(p.touches)
	}
	p.touches[pinOf{c, pin}] = t
}

// frames remembers the frames of pins. It belongs to the settings and schemas of a meta.
type frames struct {
	mu sync.Mutex
	of map[pinOf]read.Frame
}

func newFrames() *frames { return &frames{of: map[pinOf]read.Frame{}} }

func (f *frames) get(at pinOf) (read.Frame, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	frame, ok := f.of[at]
	return frame, ok
}

func (f *frames) note(at pinOf, frame read.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.of) >= maxPins {
		clear(f.of)
	}
	f.of[at] = frame
}

// heads remembers what touched collections last at one moment. It belongs to a meta.
type heads struct {
	mu      sync.Mutex
	touches map[uint32]lastChange
}

func newHeads() *heads { return &heads{touches: map[uint32]lastChange{}} }

// pinTouch is what touched a collection last by a release before the head. A look that fails is not remembered.
func (v *view) pinTouch(c uint32, pin uint64) (lastChange, error) {
	if t, known := v.meta.pins.lastChange(c, pin); known {
		return t, nil
	}
	t, err := v.r.lastChange(c, pin)
	if err == nil {
		v.meta.pins.noteTouch(c, pin, t)
	}
	return t, err
}

// headTouch is what touched a collection last at the moment of the view.
func (v *view) headTouch(c uint32) (lastChange, error) {
	h := v.meta.heads
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.touches[c]; ok {
		return t, nil
	}
	t, err := v.r.lastChange(c, v.meta.head.Number)
	if err == nil {
		h.touches[c] = t
	}
	return t, err
}
