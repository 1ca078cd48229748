package limit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// Decision is the answer to one request.
type Decision struct {
	Allowed    bool
	Limit      int           // requests that an idle caller may make at once
	Remaining  int           // of those, left now
	Reset      time.Duration // until an idle caller has all of them again
	RetryAfter time.Duration // where not allowed
}

// Limiter admits by GCRA per key. Keys that are idle are forgotten.
type Limiter struct {
	policy Policy
	now    func() time.Time
	header string
	seed   maphash.Seed
	shards [64]shard
}

// key is what is limited: a caller's address range within a project.
type key struct {
	group   netip.Prefix
	project string
}

type shard struct {
	mu   sync.Mutex
	keys map[key]*state
}

// state is a GCRA cell. tat is the theoretical arrival time of the next request that would be exactly on rate.
type state struct {
	tat     time.Time
	blocked time.Time // closed by Redis until then
	spent   int       // admitted since the last report
}

// New returns a limiter. Now is the clock; nil means the system's.
func New(policy Policy, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{policy: policy, now: now, header: policy.Header(), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].keys = map[key]*state{}
	}
	return l
}

// PolicyHeader is the RateLimit-Policy header of the limiter.
func (l *Limiter) PolicyHeader() string { return l.header }

// Allow spends one request of a client on a project.
func (l *Limiter) Allow(client netip.Addr, project string) Decision {
	now := l.now()
	near, wide := groups(client)
	d := l.spend(key{near, project}, l.policy, now)
	if !d.Allowed || !wide.IsValid() {
		return d
	}
	if w := l.spend(key{wide, project}, l.policy.looser(), now); !w.Allowed {
		return w
	}
	return d
}

func (l *Limiter) spend(k key, p Policy, now time.Time) Decision {
	s := l.shardOf(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.keys[k]
	if st == nil {
		st = &state{tat: now}
		s.keys[k] = st
	}
	step := p.emission()
	burst := time.Duration(p.Burst) * step
	if st.tat.Before(now) {
		st.tat = now
	}
	if wait := st.blocked.Sub(now); wait > 0 {
		return Decision{Limit: p.Burst, Reset: wait + burst, RetryAfter: wait}
	}
	next := st.tat.Add(step)
	if wait := next.Sub(now) - burst; wait > 0 {
		return Decision{Limit: p.Burst, Reset: st.tat.Sub(now), RetryAfter: wait}
	}
	st.tat = next
	st.spent++
	return Decision{Allowed: true, Limit: p.Burst, Remaining: int((burst - next.Sub(now)) / step), Reset: next.Sub(now)}
}

func (l *Limiter) shardOf(k key) *shard {
	return &l.shards[maphash.Comparable(l.seed, k)%uint64(len(l.shards))]
}

// spending is what a key spent since the last report.
type spending struct {
	key key
	n   int
}

// drain returns what was spent and resets it, and forgets the keys that are back to full.
func (l *Limiter) drain() []spending {
	now := l.now()
	var out []spending
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for k, st := range s.keys {
			switch {
			case st.spent > 0:
				out = append(out, spending{k, st.spent})
				st.spent = 0
			case !st.tat.After(now) && !st.blocked.After(now):
				delete(s.keys, k)
			}
		}
		s.mu.Unlock()
	}
	return out
}

// block closes the door for a key until a time.
func (l *Limiter) block(k key, until time.Time) {
	s := l.shardOf(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.keys[k]
	if st == nil {
		st = &state{tat: l.now()}
		s.keys[k] = st
	}
	if until.After(st.blocked) {
		st.blocked = until
	}
}
