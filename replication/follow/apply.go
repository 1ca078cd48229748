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

// verdict is what became of one envelope.
type verdict int

const (
	applied   verdict = iota
	duplicate         // nothing to apply
	gap               // it does not follow what the store holds
	large             // its body has to be fetched, by a worker of the log's own
	damaged           // it cannot be read: it may be no record, or a newer build's
	failed            // the store did not take it, or its body could not be fetched
)

// turn applies what waits of a log.
func (f *Follower) turn(ctx context.Context, l *log) {
	for range turnMessages {
		m, ok := l.first()
		if !ok {
			return
		}
		v, err := f.take(ctx, l, m.envelope, false)
		if ctx.Err() != nil {
			return
		}
		switch v {
		case applied, duplicate:
			f.pop(l)
			f.well(l)
			continue
		case failed:
			f.fail(l, err, true)
		}
		l.mu.Lock()
		l.blocked, l.repair = true, true
		l.release()
		l.mu.Unlock()
		return
	}
}

// take handles one envelope of a log. Only where alone is set may it fetch a body.
func (f *Follower) take(ctx context.Context, l *log, envelope []byte, alone bool) (verdict, error) {
	c, body, err := record.Decode(envelope)
	if err == nil && c.Log != l.id {
		err = &record.CorruptError{Log: l.id, Seq: c.Position.Seq, Reason: "it is of log " + c.Log}
	}
	if err != nil {
		return damaged, err
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
		return duplicate, nil
	case !c.Follows(at):
		return gap, fmt.Errorf("change %d of log %s does not follow position %s", c.Position.Seq, l.id, at)
	case body != nil && !alone:
		return large, nil
	case body != nil:
		if c, err = f.fetch(ctx, body); err != nil {
			return failed, err
		}
	}
	if err := f.applyChange(ctx, l, c); err != nil {
		return failed, err
	}
	return applied, nil
}

// fetchRate is how many bytes of a body object storage is expected to bring in a second.
const fetchRate = 1 << 20

// fetch reads the body of a large change. It does not wait long, since core has the body too.
func (f *Follower) fetch(ctx context.Context, b *record.Blob) (*record.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Tuning.Fetch+time.Duration(b.Size)*time.Second/fetchRate)
	defer cancel()
	body, info, err := f.cfg.Blobs.Get(ctx, b.Key)
	if err != nil {
		return nil, &fetchError{err}
	}
	defer body.Close()
	if info.Size != b.Size {
		return nil, &fetchError{fmt.Errorf("object %s has %d bytes instead of %d", b.Key, info.Size, b.Size)}
	}
	object := make([]byte, b.Size)
	if _, err := io.ReadFull(body, object); err != nil {
		return nil, &fetchError{err}
	}
	c, err := b.Open(object)
	var corrupt *record.CorruptError
	if errors.As(err, &corrupt) {
		return nil, &fetchError{err}
	}
	return c, err
}

// fetchError says that the body of a large change is not to be had from the object store. Core may have it.
type fetchError struct{ err error }

func (e *fetchError) Error() string { return "fetch the body of a large change: " + e.err.Error() }
func (e *fetchError) Unwrap() error { return e.err }

// applyChange gives a change to the store. A store that panics over one has failed to apply it: the change stops its
// log, not the program.
func (f *Follower) applyChange(ctx context.Context, l *log, c *record.Change) (err error) {
	begin := time.Now()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("apply change %d of log %s: panic: %v\n%s", c.Position.Seq, l.id, p, debug.Stack())
		}
	}()
	if err := f.cfg.Applier.Apply(ctx, c); err != nil {
		return fmt.Errorf("apply change %d of log %s: %w", c.Position.Seq, l.id, err)
	}
	f.cfg.Metrics.applied.Observe(time.Since(begin).Seconds())
	l.mu.Lock()
	l.moved(c.Position, f.cfg.Now())
	l.mu.Unlock()
	return nil
}
