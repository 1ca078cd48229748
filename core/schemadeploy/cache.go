package schemadeploy

import (
	"sync"

	"svc/shared/schema"
)

// maxParsed bounds the schemas kept; beyond it the cache starts anew.
const maxParsed = 4096

// parsed holds schemas by their hash. A hash names the meaning of a collection but for its label.
var parsed = cache{byHash: map[string]*schema.Collection{}}

type cache struct {
	mu     sync.RWMutex
	byHash map[string]*schema.Collection
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
	if len(c.byHash) >= maxParsed {
		clear(c.byHash)
	}
	c.byHash[hash] = s
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
