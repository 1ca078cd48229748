package follow

import (
	"strings"
	"sync"
	"time"

	"svc/replication/record"
)

// log is one log as a follower knows it. At most one worker at a time is busy with it, and only that one moves its
// position.
type log struct {
	id           string
	organization bool

	mu   sync.Mutex
	busy bool // in a line of work, or worked at

	// What the store holds.
	at      record.Position
	changed chan struct{} // closed when at moves; nil where none waits

	// What waits to be applied, in the order of the stream.
	queue      [][]byte
	queueBytes int
	blocked    bool // the first of the queue cannot be applied as things are

	// What core has.
	head        record.Position
	known       bool      // core has told the head
	headSettled time.Time // the database's time at which it was the head
	// Until when the log was known to be level, once it no longer is.
	levelSettled, levelSeen time.Time
	// Since when core has the change that the store lacks, by this edge's clock; zero where level.
	lateSince time.Time
	lateHead  uint64
	// Since when the store is ahead of what core says; zero where it is not. A suspect log is asked about.
	aheadSince time.Time
	suspect    bool

	repair    bool // core is to be asked for what is missing
	trouble   *Trouble
	tries     int
	notBefore time.Time // of repairs
	load      bool      // a snapshot is to be loaded: there is too much missing, or core has only that
	unserved  bool      // core said that only a snapshot helps
	// rebuild: what is held is to be replaced by a snapshot that is as new. Who asks for that while the log is worked at, also
	// while it is just being rebuilt, gets a load that begins afterwards (asked), whatever becomes of that work.
	rebuild, asked bool
	useless        record.Position // snapshots up to here are no better than what is held, or were not as they were written
	loadFailures   int
	loadAfter      time.Time   // of loads and rebuilds
	later          *time.Timer // looks at the log again; nil before it is first wanted

	starting bool // the follower is not ready before this log was level once, or stopped
	lastMove time.Time
}

// Trouble is why a log does not go on.
type Trouble struct {
	// Stopped: applying or reading the next change failed; nothing after it is applied before it is. Otherwise
	// something that is needed is away, and it goes on by itself.
	Stopped bool
	Reason  string
	Since   time.Time
}

func isOrganization(id string) bool { return strings.HasPrefix(id, "org_") }

// upToDate reports whether the store has all that core is known to have of the log.
func (l *log) upToDate() bool {
	at, head := l.at, l.head
	switch {
	case at.Seq == head.Seq:
		return at.Chain == head.Chain
	case at.Epoch == head.Epoch:
		return at.Seq > head.Seq
	}
	return at.Epoch > head.Epoch
}

// ahead reports whether the store has more than core is known to have, or is of a later epoch. That is usual for a
// moment.
func (l *log) ahead() bool {
	return l.known && (l.at.Epoch > l.head.Epoch || l.at.Epoch == l.head.Epoch && l.at.Seq > l.head.Seq)
}

// behind is how many changes the store lacks, as far as is known.
func (l *log) behind() uint64 {
	if l.upToDate() || l.head.Seq < l.at.Seq {
		return 0
	}
	return l.head.Seq - l.at.Seq
}

// moved notes that the store stands at a new position.
func (l *log) moved(to record.Position, now time.Time) {
	l.at, l.lastMove = to, now
	l.aheadSince = time.Time{}
	l.seeLateness(now)
	l.tell()
}

// tell wakes those who wait for the log to move.
func (l *log) tell() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// seeLateness keeps lateSince: the moment from which the oldest known change that is still lacking was known.
func (l *log) seeLateness(now time.Time) {
	switch {
	case !l.known || l.upToDate():
		l.lateSince, l.lateHead = time.Time{}, 0
	case l.lateSince.IsZero() || l.at.Seq >= l.lateHead && l.head.Seq > l.lateHead:
		l.lateSince, l.lateHead = now, l.head.Seq
	}
}
