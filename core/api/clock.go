package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"svc/core/postgres"
	"svc/shared/fault"
)

// How long core works on a request before it answers UNAVAILABLE: the database may hang without a word. What the caller
// takes to send a body does not count.
type times struct {
	read     time.Duration // and to find out who asks for what
	write    time.Duration
	long     time.Duration // for what may touch a whole project
	internal time.Duration // for what edges ask, with the sending of it
}

var defaultTimes = times{read: 10 * time.Second, write: 30 * time.Second, long: 5 * time.Minute, internal: time.Minute}

// of is how long the work of a route may take once it is known who asks.
func (t times) of(r *route) time.Duration {
	switch {
	case r.is(long):
		return t.long
	case r.method == get:
		return t.read
	}
	return t.write
}

// errLate ends the context of a request whose time is over.
var errLate = errors.New("the time for this request is over")

// clock ends the work on one request once its time is over. It starts again with every part of the body.
type clock struct {
	timer *time.Timer
	time  time.Duration
	// detach lets the work go on without its caller; false where that one is gone already.
	detach func() bool
}

// limited is the context for the work on a request, and its clock. The context of the request itself goes on, so that it
// still tells whether the caller is there.
func limited(r *http.Request, d time.Duration) (context.Context, *clock, func()) {
	caller := r.Context()
	ctx, end := context.WithCancelCause(context.WithoutCancel(caller))
	detach := context.AfterFunc(caller, func() { end(context.Cause(caller)) })
	k := &clock{timer: time.AfterFunc(d, func() { end(errLate) }), time: d, detach: detach}
	if body, ok := r.Body.(*pacedBody); ok {
		body.clock = k
	}
	return ctx, k, func() {
		k.timer.Stop()
		detach()
		end(nil)
	}
}

// give starts the clock again with another time.
func (k *clock) give(d time.Duration) {
	k.time = d
	k.start()
}

// rest holds the clock until start. A nil clock holds no one.
func (k *clock) rest() {
	if k != nil {
		k.timer.Stop()
	}
}

func (k *clock) start() {
	if k != nil {
		k.timer.Reset(k.time)
	}
}

// late is err, told as UNAVAILABLE where the time for the request was over and nothing better is known.
func late(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errLate) || fault.As(postgres.Unavailable(err)).Code != fault.Internal {
		return err
	}
	return postgres.Late(err)
}
