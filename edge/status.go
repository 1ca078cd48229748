package edge

import (
	"time"

	"svc/replication/follow"
)

// staleAfter is how long after the last word from core answers say that they may be old.
const staleAfter = 10 * time.Second

// status tells the server how the follower is doing.
type status struct {
	follower *follow.Follower
	began    time.Time
}

// Stale implements server.Status. What was heard before a restart does not count: no one knows how old it is, but that
// it is older than the process.
func (s status) Stale() (time.Duration, bool) {
	silence := s.follower.Silence()
	if silence == follow.Never {
		return time.Since(s.began), true
	}
	return silence, silence > staleAfter
}

// Unready implements server.Status.
func (s status) Unready() []string {
	_, reasons := s.follower.Ready()
	return reasons
}
