package limit

import (
	"hash/maphash"
	"net/netip"
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

// Limiter admits by GCRA per key. It keeps a bounded number of keys: idle ones are forgotten, and where all are busy,
// those that are nearest to idle.
type Limiter struct {
	policy, loose Policy
	now           func() time.Time
	start         time.Time
	header        string
	seed          maphash.Seed
	shards        [shardCount]shard
}

// key is what is limited: a caller's address range within a project.
type key struct {
	group   netip.Prefix
	project string
}

// New returns a limiter. Now is the clock; nil means the system's.
func New(policy Policy, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{
		policy: policy, loose: policy.looser(), now: now, start: now(), header: policy.Header(), seed: maphash.MakeSeed(),
	}
	for i := range l.shards {
		l.shards[i].keys = map[key]*cell{}
	}
	return l
}

// PolicyHeader is the RateLimit-Policy header of the limiter.
func (l *Limiter) PolicyHeader() string { return l.header }

// Allow spends one request of a client on a project. Project is kept: it must not point into memory that is used again.
func (l *Limiter) Allow(client netip.Addr, project string) Decision {
	now := l.elapsed()
	near, wide := groups(client)
	k := key{near, project}
	d := l.shardOf(k).take(k, l.policy, now)
	if !d.Allowed || !wide.IsValid() {
		return d
	}
	k.group = wide
	if w := l.shardOf(k).take(k, l.loose, now); !w.Allowed || w.Remaining < d.Remaining {
		if !w.Allowed {
			k.group = near
			l.shardOf(k).refund(k, l.policy)
		}
		return w
	}
	return d
}

// elapsed is the limiter's time: since it was made.
func (l *Limiter) elapsed() time.Duration { return l.now().Sub(l.start) }

func (l *Limiter) shardOf(k key) *shard {
	return &l.shards[maphash.Comparable(l.seed, k)%shardCount]
}

// policyOf is the policy that a key counts under.
func (l *Limiter) policyOf(k key) Policy {
	if k.group.Addr().Is6() && k.group.Bits() == wideBits {
		return l.loose
	}
	return l.policy
}
