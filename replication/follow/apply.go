package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"svc/replication/record"
)

// stoppedError is what trying again hardly mends: the store did not take a change, or core's own answer cannot be read.
type stoppedError struct{ err error }

func (e *stoppedError) Error() string { return e.err.Error() }
func (e *stoppedError) Unwrap() error { return e.err }

var (
	errGap   = errors.New("it does not follow what the store holds")
	errLarge = errors.New("its body has to be fetched, by a worker of the log's own")
)

// turn applies what waits of a log.
func (f *Follower) turn(ctx context.Context, l *log) {
	for range turnMessages {
		envelope, ok := l.first()
		if !ok {
			return
		}
		err := f.applyNext(ctx, l, envelope, false)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			f.pop(l)
			f.clearTrouble(l)
			continue
		}
		if stopped := (*stoppedError)(nil); errors.As(err, &stopped) {
			f.fail(l, err)
		}
		l.mu.Lock()
		l.blocked, l.repair = true, true
		l.mu.Unlock()
		return
	}
}

// applyNext applies one envelope of a log, unless the store has it already. Only where alone is set may it fetch a body. Every
// error but a stoppedError means that core has to be asked: the change is not the next one, or cannot be read.
func (f *Follower) applyNext(ctx context.Context, l *log, envelope []byte, alone bool) error {
	c, body, err := record.Decode(envelope)
	if err == nil && c.Log != l.id {
		err = &record.CorruptError{Log: l.id, Seq: c.Position.Seq, Reason: "it is of log " + c.Log}
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	at := l.at
	if c.Restates(at) && c.Position.Epoch > at.Epoch {
		l.at.Epoch = c.Position.Epoch
	}
	l.mu.Unlock()
	switch {
	case c.Restates(at), c.Position.Epoch < at.Epoch, c.Position.Epoch == at.Epoch && c.Position.Seq < at.Seq:
		f.cfg.Metrics.duplicates.Inc()
		return nil
	case !c.Follows(at):
		return fmt.Errorf("change %d of log %s after position %s: %w", c.Position.Seq, l.id, at, errGap)
	case body != nil && !alone:
		return errLarge
	case body != nil:
		if c, err = f.fetch(ctx, body); err != nil {
			return fmt.Errorf("fetch the body of a large change: %w", err)
		}
	}
	return f.applyChange(ctx, l, c)
}

const (
	// fetchTime is how long object storage may take to bring the body of a large change, apart from a second for each fetchRate
	// bytes of it. Core has the body too.
	fetchTime = 5 * time.Second
	fetchRate = 1 << 20
)

// fetch reads the body of a large change.
func (f *Follower) fetch(ctx context.Context, b *record.Blob) (*record.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime+time.Duration(b.Size)*time.Second/fetchRate)
	defer cancel()
	body, info, err := f.cfg.Blobs.Get(ctx, b.Key)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if info.Size != b.Size {
		return nil, fmt.Errorf("object %s has %d bytes instead of %d", b.Key, info.Size, b.Size)
	}
	object := make([]byte, b.Size)
	if _, err := io.ReadFull(body, object); err != nil {
		return nil, err
	}
	return b.Open(object)
}

// applyChange gives a change to the store. A store that panics over one has failed to apply it: the change stops its
// log, not the program.
func (f *Follower) applyChange(ctx context.Context, l *log, c *record.Change) (err error) {
	begin := time.Now()
	defer func() {
		if p := recover(); p != nil {
			err = &stoppedError{fmt.Errorf("apply change %d of log %s: panic: %v\n%s", c.Position.Seq, l.id, p, debug.Stack())}
		}
	}()
	if err := f.cfg.Applier.Apply(ctx, c); err != nil {
		return &stoppedError{fmt.Errorf("apply change %d of log %s: %w", c.Position.Seq, l.id, err)}
	}
	f.cfg.Metrics.applied.Observe(time.Since(begin).Seconds())
	l.mu.Lock()
	l.moved(c.Position, f.cfg.Now())
	l.mu.Unlock()
	return nil
}
