package edge

import (
	"runtime/debug"
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

// Stale implements server.Status. What was heard before a restart does not count: nobody knows how old it is, but that
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

// build names the program by the revision it was built from.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if revision == "" {
		return "development"
	}
	return revision[:min(12, len(revision))] + modified
}
