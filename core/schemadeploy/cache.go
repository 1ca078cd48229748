package schemadeploy

import (
	"sync"

	"svc/shared/schema"
)

// The schemas kept, and about how many bytes they take; beyond either the cache is emptied. A set at its largest, with all
// the patterns that it may have, takes some 40 MiB.
const (
	maxParsed       = 4096
	maxParsedMemory = 64 << 20
)

// parsed holds schemas by their hash. A hash names the meaning of a collection but for its label.
var parsed = cache{byHash: map[string]*schema.Collection{}}

type cache struct {
	mu     sync.RWMutex
	byHash map[string]*schema.Collection
	memory int
}

func (c *cache) get(hash, label string) *schema.Collection {
	c.mu.RLock()
	s := c.byHash[hash]
	c.mu.RUnlock()
	if s == nil {
		return nil
	}
	return relabel(s, label)
}

func (c *cache) put(hash string, s *schema.Collection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byHash[hash] != nil { // somebody else was faster
		return
	}
	if len(c.byHash) >= maxParsed || c.memory+s.Memory() > maxParsedMemory {
		clear(c.byHash)
		c.memory = 0
	}
	c.byHash[hash] = s
	c.memory += s.Memory()
}

// relabel returns the collection under another label; everything else is shared.
func relabel(c *schema.Collection, label string) *schema.Collection {
	if c.Label == label {
		return c
	}
	copied := *c
	copied.Label = label
	return &copied
}
