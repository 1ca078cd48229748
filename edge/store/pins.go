package store

import (
	"sync"

	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/read"
)

// pins remembers what reads at old releases begin with. It belongs to a generation, in which none of that changes.
type pins struct {
	mu       sync.Mutex
	releases map[uint64]content.Release
	changes  *snapshot.Changes
}

type pinOf struct {
	collection uint32
	pin        uint64
}

// maxPins bounds the pins remembered of each kind: frontends read few at a time.
const maxPins = 64

func newPins() *pins {
	return &pins{releases: map[uint64]content.Release{}, changes: snapshot.NewChanges(true)}
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
