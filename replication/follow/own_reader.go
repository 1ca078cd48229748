package follow

import (
	"context"
	"errors"
	"time"

	"svc/replication/stream"
)

// idleReader is how long a log reads for itself without a message coming.
const idleReader = 5 * time.Second

// readMissed reads for itself what did not fit into the queue. What the stream no longer has is left to core.
func (f *Follower) readMissed(ctx context.Context, l *log) error {
	l.mu.Lock()
	from, missing := l.missed, l.missedLast > 0
	l.mu.Unlock()
	if !missing {
		return nil
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	idle := time.AfterFunc(idleReader, stop)
	defer idle.Stop()
	var fatal *errStopped
	err := f.cfg.Stream.FollowLog(reading, l.id, from, stream.Handler{
		Attached: func(_ context.Context, a stream.Attachment) error {
			if a.How != stream.Resumed {
				return stream.ErrStop
			}
			return nil
		},
		Message: func(ctx context.Context, m stream.Message) error {
			idle.Stop()
			defer idle.Reset(idleReader)
			v, err := f.take(ctx, l, m.Envelope, true)
			if v == failed {
				fatal = &errStopped{err}
			}
			if v != applied && v != duplicate {
				return stream.ErrStop
			}
			return f.readTo(l, m.Seq)
		},
	})
	var fetching *fetchError
	switch {
	case fatal != nil && !errors.As(fatal, &fetching):
		return fatal
	case err != nil && ctx.Err() == nil:
		f.cfg.Logger.Debug("a log cannot read the stream for itself", "log", l.id, "error", err)
	}
	return ctx.Err()
}

// readTo notes that a log has read for itself up to a message; ErrStop where that is all it missed.
func (f *Follower) readTo(l *log, seq uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq >= l.missedLast {
		l.missed, l.missedLast = stream.Place{}, 0
		return stream.ErrStop
	}
	l.missed.Seq = seq
	return nil
}
