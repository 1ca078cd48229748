package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/replication/record"
	"svc/shared/fault"
)

// repairLog brings a log to where core has it, apart from all others.
func (f *Follower) repairLog(ctx context.Context, l *log) {
	if f.wantsSnapshot(ctx, l) {
		f.wantLoad(l)
		return
	}
	err := f.catchUp(ctx, l)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		f.clearTrouble(l)
	case errors.Is(err, ErrUnserved):
		f.cfg.Logger.Info("core cannot continue a log from where it is; loading a snapshot", "log", l.id, "at", f.Position(l.id))
		l.mu.Lock()
		l.unserved = true
		l.mu.Unlock()
		f.wantLoad(l)
	default:
		f.fail(l, err)
		l.mu.Lock()
		l.repair = true
		l.mu.Unlock()
	}
}

// rounds is how often a repair asks core before it leaves the rest to the next one.
const rounds = 3

func (f *Follower) catchUp(ctx context.Context, l *log) error {
	l.mu.Lock()
	ask := l.suspect
	l.mu.Unlock()
	for asked := range rounds {
		if err := f.drain(ctx, l, asked > 0); err != nil {
			return err
		}
		l.mu.Lock()
		there := l.known && l.upToDate() && len(l.queue) == 0
		l.mu.Unlock()
		if there && !ask {
			return nil
		}
		if err := f.askCore(ctx, l); err != nil {
			return err
		}
		ask = false
	}
	return fault.New(fault.Unavailable, "core has not yet answered what is missing of log %s after %s", l.id, f.Position(l.id))
}

// drain applies what waits and can be applied. Once core was asked, it lets go of what cannot: it is of another history, or no
// change at all, or heads will show what is missing before it.
func (f *Follower) drain(ctx context.Context, l *log, asked bool) error {
	for {
		envelope, ok := l.first()
		if !ok {
			break
		}
		err := f.applyNext(ctx, l, envelope, true)
		if stopped := (*stoppedError)(nil); errors.As(err, &stopped) || ctx.Err() != nil {
			return err
		}
		if err != nil && !asked {
			return nil
		}
		if err != nil {
			f.cfg.Logger.Warn("a message of the stream is passed over", "log", l.id, "error", err)
		}
		f.pop(l)
	}
	l.mu.Lock()
	l.blocked = false
	l.mu.Unlock()
	return nil
}

// askCore takes the changes behind the log's position from core.
func (f *Follower) askCore(ctx context.Context, l *log) error {
	l.mu.Lock()
	l.suspect, l.aheadSince = false, time.Time{}
	l.mu.Unlock()
	for {
		before := f.Position(l.id)
		holds, err := f.cfg.Applier.Content(ctx, l.id)
		if err != nil {
			return &stoppedError{fmt.Errorf("read what the store holds of log %s: %w", l.id, err)}
		}
		head, err := f.cfg.Core.Changes(ctx, l.id, before, holds.Newest, func(envelope []byte) error {
			err := f.applyNext(ctx, l, envelope, true)
			if err == nil || errors.Is(err, errGap) {
				return err
			}
			return &stoppedError{err}
		})
		f.cfg.Metrics.gap(err)
		if err != nil {
			return err
		}
		f.learn(record.Head{Log: l.id, Position: head}, time.Time{}, true)
		l.mu.Lock()
		level, after := l.upToDate(), l.at
		l.mu.Unlock()
		switch {
		case level:
			return nil
		case after == before:
			return fault.New(fault.Unavailable, "core has log %s at %s and sent nothing behind %s", l.id, head, before)
		}
	}
}
