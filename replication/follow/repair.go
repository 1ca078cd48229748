package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/fault"
)

// errStopped is an error that trying again, with the same means, hardly mends: applying or reading a change failed.
type errStopped struct{ err error }

func (e *errStopped) Error() string { return e.err.Error() }
func (e *errStopped) Unwrap() error { return e.err }

// repairLog brings a log to where core has it, apart from all others.
func (f *Follower) repairLog(ctx context.Context, l *log) {
	if f.wantsSnapshot(l) && !f.withoutSnapshot(ctx, l) {
		f.wantLoad(l)
		return
	}
	err := f.catchUp(ctx, l)
	var stopped *errStopped
	switch {
	case ctx.Err() != nil:
	case err == nil:
		f.well(l)
	case errors.Is(err, ErrUnserved):
		f.cfg.Logger.Info("core cannot continue a log from where it is; loading a snapshot", "log", l.id, "at", f.Position(l.id))
		l.mu.Lock()
		l.unserved = true
		l.mu.Unlock()
		f.wantLoad(l)
	default:
		f.fail(l, err, errors.As(err, &stopped))
		l.mu.Lock()
		l.repair = true
		l.mu.Unlock()
	}
}

// rounds is how often a repair asks core before it leaves the rest to the next one.
const rounds = 3

func (f *Follower) catchUp(ctx context.Context, l *log) error {
	if err := f.drain(ctx, l); err != nil {
		return err
	}
	if err := f.readMissed(ctx, l); err != nil {
		return err
	}
	for range rounds {
		if f.caughtUp(l) {
			return nil
		}
		if err := f.askCore(ctx, l); err != nil {
			return err
		}
		if err := f.drain(ctx, l); err != nil {
			return err
		}
		f.discard(l)
	}
	if !f.caughtUp(l) {
		return fault.New(fault.Unavailable, "core has not yet answered what is missing of log %s after %s", l.id, f.Position(l.id))
	}
	return nil
}

// caughtUp reports whether nothing is left that core would be asked for.
func (f *Follower) caughtUp(l *log) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known && l.level() && !l.suspect && len(l.queue) == 0 && l.missedLast == 0
}

// drain applies what waits and can be applied.
func (f *Follower) drain(ctx context.Context, l *log) error {
	for {
		m, ok := l.first()
		if !ok {
			break
		}
		v, err := f.take(ctx, l, m.envelope, true)
		var fetching *fetchError
		switch {
		case v == applied, v == duplicate:
			f.pop(l)
			continue
		case v == failed && !errors.As(err, &fetching):
			return &errStopped{err}
		}
		return nil // core is asked for it
	}
	l.mu.Lock()
	l.blocked = false
	l.mu.Unlock()
	return nil
}

// discard lets go of what waits although core has told all there is: it is of another history, or no record at all.
func (f *Follower) discard(l *log) {
	for {
		m, ok := l.first()
		if !ok {
			break
		}
		c, _, err := record.Decode(m.envelope)
		l.mu.Lock()
		keep := err == nil && (c.Follows(l.at) || !l.level() || c.Position.Epoch > l.head.Epoch ||
			c.Position.Epoch == l.head.Epoch && c.Position.Seq > l.head.Seq)
		l.mu.Unlock()
		if keep {
			break
		}
		f.cfg.Logger.Warn("a message of the stream is no change of its log; it is passed over", "log", l.id, "sequence", m.seq, "error", err)
		f.pop(l)
	}
	l.mu.Lock()
	l.blocked = len(l.queue) > 0
	l.mu.Unlock()
}

// askCore takes the changes behind the log's position from core. A suspicion that comes up while core answers is not yet
// settled by that answer.
func (f *Follower) askCore(ctx context.Context, l *log) error {
	l.mu.Lock()
	suspect := l.suspect
	l.suspect, l.aheadSince = false, time.Time{}
	l.mu.Unlock()
	err := f.takeBehind(ctx, l)
	if err != nil {
		l.mu.Lock()
		l.suspect = l.suspect || suspect
		l.mu.Unlock()
	}
	return err
}

func (f *Follower) takeBehind(ctx context.Context, l *log) error {
	l.mu.Lock()
	missedLast := l.missedLast
	l.mu.Unlock()
	for {
		before := f.Position(l.id)
		holds, err := f.cfg.Applier.Content(ctx, l.id)
		if err != nil {
			return &errStopped{fmt.Errorf("read what the store holds of log %s: %w", l.id, err)}
		}
		head, err := f.cfg.Core.Changes(ctx, l.id, before, holds.Newest, func(envelope []byte) error {
			v, err := f.take(ctx, l, envelope, true)
			switch {
			case v == applied || v == duplicate:
				return nil
			case v == gap:
				return fmt.Errorf("core left out changes: %w", err)
			}
			return &errStopped{err}
		})
		f.cfg.Metrics.gap(err)
		if err != nil {
			return err
		}
		f.learn(record.Head{Log: l.id, Position: head}, time.Time{}, true)
		after := f.Position(l.id)
		l.mu.Lock()
		level := l.level()
		if level && missedLast > 0 {
			if l.missedLast == missedLast {
				l.missed, l.missedLast = stream.Place{}, 0
			} else {
				l.missed.Seq = missedLast
			}
		}
		l.mu.Unlock()
		switch {
		case level:
			return nil
		case after == before:
			return fault.New(fault.Unavailable, "core has log %s at %s and sent nothing behind %s", l.id, head, before)
		}
	}
}
