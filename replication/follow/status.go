package follow

import (
	"context"
	"fmt"
	"math"
	"time"

	"svc/replication/record"
)

// Position returns where the store stands in a log; a zero position where it does not hold it.
func (f *Follower) Position(id string) record.Position {
	l := f.find(id)
	if l == nil {
		return record.Position{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// Changed returns a channel that is closed when the store has moved on in a log. Take it before looking at the store.
func (f *Follower) Changed(id string) <-chan struct{} {
	l := f.log(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// Await returns nil as soon as there holds, which it asks now and whenever the store has moved on in a log; or an
// error where the context ends before.
func (f *Follower) Await(ctx context.Context, id string, there func() bool) error {
	for {
		changed := f.Changed(id)
		if there() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for log %s: %w", id, ctx.Err())
		}
	}
}

// Settled returns a time of the database's clock, exclusively up to which all releases of a log are known here: none
// with an earlier time can still come. It is zero where nothing is known of that.
func (f *Follower) Settled(id string) time.Time {
	l := f.find(id)
	if l == nil {
		return time.Time{}
	}
	covered, _, _ := f.coverage.now() // before the log is looked at: its head was told no earlier
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.known:
		return time.Time{}
	case l.upToDate():
		return covered
	}
	return l.levelSettled
}

// Never is the age of what has not happened since the follower was made. What happened before a restart does not count.
const Never = time.Duration(math.MaxInt64)

// CredentialAge returns how long ago the store surely had all keys, and revocations, of an organization.
func (f *Follower) CredentialAge(organization string) time.Duration {
	_, seen, _ := f.coverage.now()
	l := f.find(organization)
	if l == nil {
		return Never
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.known || !l.upToDate() {
		seen = l.levelSeen
	}
	return f.age(seen)
}

// Attached reports whether the stream is followed: its messages come in for as long as the connection is there. Where it is
// not, changes come by asking core alone.
func (f *Follower) Attached() bool { return f.attached.Load() }

// Silence returns how long ago core was last heard, by heartbeat or answer. What this store says may be older than what
// core says by as much.
func (f *Follower) Silence() time.Duration {
	_, seen, beat := f.coverage.now()
	return f.age(later(seen, beat))
}

func (f *Follower) age(at time.Time) time.Duration {
	if at.IsZero() {
		return Never
	}
	return max(f.cfg.Now().Sub(at), 0)
}

// LogStatus is where a log stands.
type LogStatus struct {
	Log      string
	Position record.Position
	Head     record.Position // what core is known to have
	Behind   uint64          // changes
	Late     time.Duration   // since when core has a change that the store lacks
	Trouble  *Trouble
	moved    time.Time // when the store moved on last
}

// Log returns where a log stands, and false where it is not known.
func (f *Follower) Log(id string) (LogStatus, bool) {
	l := f.find(id)
	if l == nil {
		return LogStatus{}, false
	}
	return l.status(f.cfg.Now()), true
}

func (f *Follower) statuses() []LogStatus {
	now, logs := f.cfg.Now(), f.all()
	all := make([]LogStatus, len(logs))
	for i, l := range logs {
		all[i] = l.status(now)
	}
	return all
}

func (l *log) status(now time.Time) LogStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LogStatus{Log: l.id, Position: l.at, Head: l.head, Behind: l.behind(), moved: l.lastMove}
	if !l.lateSince.IsZero() {
		s.Late = max(now.Sub(l.lateSince), 0)
	}
	if l.trouble != nil {
		trouble := *l.trouble
		s.Trouble = &trouble
	}
	return s
}

// Ready reports whether this edge should get requests, and if not, why. It should not before every log was level with
// core once, unless core cannot be reached and the store holds something from before; nor while a log is late that
// nothing but this edge keeps from being level. A stopped log needs an operator, but keeps the others from nothing.
func (f *Follower) Ready() (bool, []string) {
	var reasons []string
	switch {
	case !f.begun.Load():
		reasons = append(reasons, "starting")
	case f.settled.Load() || f.serving.Load():
	case !f.headsKnown():
		reasons = append(reasons, "core has not been reached yet, and the store is empty")
	default:
		reasons = append(reasons, fmt.Sprintf("%d logs are still behind core", f.starting.Load()))
	}
	late := 0
	var latest LogStatus
	for _, s := range f.statuses() {
		if s.Late > lateAfter && s.Trouble == nil {
			late++
			if s.Late > latest.Late {
				latest = s
			}
		}
	}
	if late > 0 {
		reasons = append(reasons, fmt.Sprintf("%d logs are late; %s by %d changes for %s", late, latest.Log, latest.Behind, latest.Late.Round(time.Second)))
	}
	return len(reasons) == 0, reasons
}
