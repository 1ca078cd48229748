package limit

import (
	"math"
	"sync"
	"time"
)

const (
	shardCount = 64
	// shardKeys bounds the keys of a shard: 65,536 in all, which take some 10 MB.
	shardKeys = 1 << 10
	// sample is how many keys are looked at to make room for another.
	sample = 8
)

// shard is a part of the keys under one lock.
type shard struct {
	mu   sync.Mutex
	keys map[key]*cell
	// reporting is set where somebody drains what was spent; listed are the keys to report.
	reporting bool
	listed    []listing
}

type listing struct {
	key  key
	cell *cell
}

// cell is the state of one key. Times are the limiter's.
type cell struct {
	tat    time.Duration // theoretical arrival time of the next request that would be exactly on rate
	closed time.Duration // no request before
	spent  int           // admitted since the last report
	debt   int           // units admitted, and refused by all edges together
	listed bool
}

func (c *cell) idle(now time.Duration) bool { return c.tat <= now && c.closed <= now && c.debt == 0 }

// busyUntil is when a cell is idle at last.
func (c *cell) busyUntil() time.Duration { return max(c.tat, c.closed) }

func (s *shard) take(k key, p Policy, now time.Duration) Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(k, now)
	step := p.emission()
	burst := time.Duration(p.Burst) * step
	c.tat = max(c.tat, now)
	if wait := c.closed - now; wait > 0 {
		return Decision{Limit: p.Burst, Reset: wait + burst, RetryAfter: wait}
	}
	next := c.tat + step
	if wait := next - now - burst; wait > 0 {
		return Decision{Limit: p.Burst, Reset: c.tat - now, RetryAfter: wait}
	}
	c.tat = next
	c.spent++
	s.list(k, c)
	return Decision{Allowed: true, Limit: p.Burst, Remaining: int((burst - (next - now)) / step), Reset: next - now}
}

// refund takes back a request that was admitted here and refused elsewhere.
func (s *shard) refund(k key, p Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.keys[k]; c != nil {
		c.tat -= p.emission()
		c.spent = max(0, c.spent-1)
	}
}

func (s *shard) find(k key, now time.Duration) *cell {
	if c := s.keys[k]; c != nil {
		return c
	}
	s.makeRoom(now)
	c := &cell{tat: now}
	s.keys[k] = c
	return c
}

// makeRoom forgets idle keys among a few, so that they never outnumber the busy ones for long. In a full shard one key
// goes in any case: of those few the one that loses least by starting afresh.
func (s *shard) makeRoom(now time.Duration) {
	var first key
	earliest, seen := time.Duration(math.MaxInt64), 0
	for k, c := range s.keys {
		if c.idle(now) {
			delete(s.keys, k)
		} else if until := c.busyUntil(); until < earliest {
			first, earliest = k, until
		}
		if seen++; seen == sample {
			break
		}
	}
	if len(s.keys) >= shardKeys {
		delete(s.keys, first)
	}
}

// list notes that a key has something to report. While no one drains, the list stops growing.
func (s *shard) list(k key, c *cell) {
	if !s.reporting || c.listed || len(s.listed) >= shardKeys {
		return
	}
	c.listed = true
	s.listed = append(s.listed, listing{k, c})
}
