package snapshot

import "sync"

// Changes remembers what changed collections last. Those of a generation (settled) remember only what stays so: where a later
// release changed the collection too. Those of one moment remember everything.
type Changes struct {
	settled bool
	mu      sync.Mutex
	of      map[changeOf]LastChange
}

type changeOf struct {
	collection uint32
	pin        uint64
}

// maxChanges bounds those remembered of a generation: frontends read few pins at a time.
const maxChanges = 64

// NewChanges remembers nothing yet.
func NewChanges(settled bool) *Changes {
	return &Changes{settled: settled, of: map[changeOf]LastChange{}}
}

// Last returns what changed a collection last by a release. A look that fails is not remembered.
func (c *Changes) Last(r *Reader, collection uint32, pin uint64) (LastChange, error) {
	at := changeOf{collection, pin}
	c.mu.Lock()
	t, known := c.of[at]
	c.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := r.lastChange(collection, pin)
	if err != nil || c.settled && !t.Later {
		return t, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled && len(c.of) >= maxChanges {
		clear(c.of)
	}
	c.of[at] = t
	return t, nil
}
