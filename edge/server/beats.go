package server

import (
	"sync"
	"sync/atomic"
	"time"
)

// commentSlots is over how many moments the comments of all streams are spread: many streams at once would delay reads.
const commentSlots = 15

// beats are the timers that all event streams share.
type beats struct {
	tick    pulse // when rights are looked at that end without a change
	slots   [commentSlots]pulse
	streams atomic.Uint64
}

// comments returns when a stream sends its comments. Streams take turns at the slots.
func (b *beats) comments() *pulse { return &b.slots[b.streams.Add(1)%commentSlots] }

// run lets each slot beat once in so much time until the end.
func (b *beats) run(every time.Duration, end <-chan struct{}) {
	tick := time.NewTicker(every / commentSlots)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-end:
			return
		case <-tick.C:
			b.tick.beat()
			b.slots[i%commentSlots].beat()
		}
	}
}

// pulse wakes all who wait for its next beat.
type pulse struct {
	mu      sync.Mutex
	waiting chan struct{} // nil while none waits
}

// next returns a channel that is closed at the next beat.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = make(chan struct{})
	}
	return p.waiting
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != nil {
		close(p.waiting)
		p.waiting = nil
	}
}
