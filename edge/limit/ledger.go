package limit

import "time"

// spending is what a key has to answer for: what it spent since the last report, and its debt from earlier ones.
type spending struct {
	key key
	n   int
}

// startReporting makes the limiter keep what drain returns.
func (l *Limiter) startReporting() {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		s.reporting = true
		s.mu.Unlock()
	}
}

// drain returns what has to be reported, and counts anew.
func (l *Limiter) drain() []spending {
	var out []spending
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for _, li := range s.listed {
			c := li.cell
			if n := c.spent + c.debt; n > 0 {
				out = append(out, spending{li.key, n})
			}
			c.spent, c.listed = 0, false
		}
		clear(s.listed)
		s.listed = s.listed[:0]
		s.mu.Unlock()
	}
	return out
}

// settle takes over what all edges together say of a spending: how much of it they allow, when they would allow more,
// and when the key is back to full. What they do not allow was let through all the same: it stays a debt, to be
// reported again, and closes the door until it is paid.
func (l *Limiter) settle(s spending, allowed int, retry, reset time.Duration) {
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
		c.closed = now + max(retry, time.Duration(c.debt)*step)
		sh.list(s.key, c)
	}
	c.tat = max(c.tat, now+reset+time.Duration(c.spent)*step)
}

// forgive drops the debt of a spending that could not be reported. A door that is closed opens at its time.
func (l *Limiter) forgive(s spending) {
	sh := l.shardOf(s.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if c := sh.keys[s.key]; c != nil {
		c.debt = 0
	}
}
