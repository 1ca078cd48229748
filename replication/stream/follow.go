package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Handler takes what Follow delivers. Its functions are called one at a time, and Follow waits for each, so a handler
// that takes its time holds back the stream, not memory. An error from Attached or Message ends Follow with it;
// ErrStop ends it without one.
type Handler struct {
	// Attached is called before messages flow, first and after every interruption.
	Attached func(ctx context.Context, a Attachment) error
	// Message is called for each message, in the order of the stream.
	Message func(ctx context.Context, m Message) error
	// Detached is called when an interruption begins; Follow comes back by itself. It may be nil.
	Detached func(err error)
}

// handlerError is an error of the caller's own.
type handlerError struct{ err error }

func (e *handlerError) Error() string { return e.err.Error() }

const (
	shortestRetry = 50 * time.Millisecond
	longestRetry  = 2 * time.Second
)

// Follow delivers all logs from a place on, until the context ends. It survives lost connections, restarted servers
// and a stream that was purged, set back or recreated; Attached tells what it found. Messages may be missing then:
// the chains of records show it.
func (c *Conn) Follow(ctx context.Context, at Place, h Handler) error {
	reconnected := make(chan struct{}, 1)
	defer c.Watch(func(connected bool) {
		if connected {
			select {
			case reconnected <- struct{}{}:
			default:
			}
		}
	})()
	wait := shortestRetry
	for {
		select {
		case <-reconnected: // before this stretch
		default:
		}
		attached, err := c.stretch(ctx, &at, h, reconnected)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if own := (*handlerError)(nil); errors.As(err, &own) {
			if errors.Is(own.err, ErrStop) {
				return nil
			}
			return own.err
		}
		if h.Detached != nil {
			h.Detached(err)
		}
		if attached {
			wait = shortestRetry
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
		case <-time.After(wait/2 + rand.N(wait)):
		}
		wait = min(2*wait, longestRetry)
	}
}

// stretch follows without interruption, moving at along; it returns what ended it.
func (c *Conn) stretch(ctx context.Context, at *Place, h Handler, reconnected <-chan struct{}) (attached bool, err error) {
	source, err := c.attach(ctx, *at)
	if err != nil {
		return false, err
	}
	defer source.close()
	if err := h.Attached(ctx, source.Attachment); err != nil {
		return false, &handlerError{err}
	}
	*at = source.Place
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-reconnected: // the server may be another one, which knows nothing of the consumer
			source.messages.Stop()
		case <-ended:
		}
	}()
	for {
		m, err := source.next(ctx)
		if err != nil {
			return true, fmt.Errorf("follow stream %s: %w", StreamName, mapError(err))
		}
		if err := h.Message(ctx, m); err != nil {
			return true, &handlerError{err}
		}
		at.Seq = m.Seq
	}
}
