package limit

import "time"

// unit is a request as it is reported. Redis gives away all that is left of a rate, which need not be whole requests, and tells the
// whole number below it: of thousandths next to nothing is lost so.
const unit = 1000

// usage is what a key has to answer for: what it spent since the last report, and its debt from earlier ones.
type usage struct {
	key key
	n   int // units
}

// startReporting makes the limiter keep what takeUsage returns.
func (l *Limiter) startReporting() {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		s.reporting = true
		s.mu.Unlock()
	}
}

// takeUsage returns what has to be reported, and counts from zero.
func (l *Limiter) takeUsage() []usage {
	var out []usage
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for _, li := range s.listed {
			c := li.cell
			if n := c.spent*unit + c.debt; n > 0 {
				out = append(out, usage{li.key, n})
			}
			c.spent, c.listed = 0, false
		}
		clear(s.listed)
		s.listed = s.listed[:0]
		s.mu.Unlock()
	}
	return out
}

// applyResult takes over what all edges together say of a usage: how many units of it they allow, when they would allow more,
// and when the key is back to full. What they do not allow was let through all the same: it stays a debt, to be
// reported again, and closes the door until it is paid.
func (l *Limiter) applyResult(s usage, allowed int, retry, reset time.Duration) {
	step := l.policyOf(s.key).emission()
	now := l.elapsed()
	sh := l.shardOf(s.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c := sh.keys[s.key]
	if c == nil {
		return // forgotten meanwhile
	}
	c.debt, c.closed = s.n-allowed, 0
	if c.debt > 0 {
		c.closed = now + max(retry, time.Duration(c.debt)*step/unit)
		sh.list(s.key, c)
	}
	c.tat = max(c.tat, now+reset+time.Duration(c.spent)*step)
}

// dropUnreported drops the debt of a usage that could not be reported. A door that is closed opens at its time.
func (l *Limiter) dropUnreported(s usage) {
	sh := l.shardOf(s.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if c := sh.keys[s.key]; c != nil {
		c.debt = 0
	}
}
