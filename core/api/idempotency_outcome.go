package api

import (
	"context"
	"errors"
	"time"
)

const (
	noteOnce  = 5 * time.Second // for one attempt to note an outcome
	noteFor   = time.Minute     // until the attempts end: a database restarts within that
	notePause = time.Second     // between attempts, at most

	notesOfAll = 1024 // outcomes that are still to be noted
	notesOfOne = 128  // of one caller
)

// note records the outcome of a request with its key, even if the caller has disconnected meanwhile. If the database is
// unavailable it retries in the background, so that a later request with the key is not refused for work that was done; the
// caller gets the true outcome all the same. The request counts as running until then.
func (c *call) note(store answers, answer reply, failure error, alive func()) {
	ctx := context.WithoutCancel(c.ctx())
	err := store.note(ctx, answer, failure)
	if err == nil {
		alive()
		return
	}
	log := c.server.Logger.With("requestId", requestID(c.gin)) // the call is over when this is used
	done, full := c.server.notes.take(c.actor.ID)
	if full != nil {
		alive()
		log.Error("the outcome of a request could not be noted", "error", errors.Join(err, full))
		return
	}
	log.Warn("the outcome of a request could not be noted yet; trying again", "error", err)
	go func() {
		defer done()
		defer alive()
		if err := store.noteAgain(ctx, answer, failure); err != nil {
			log.Error("the outcome of a request could not be noted", "error", err)
		}
	}()
}

// noteAgain is note until it succeeds or noteFor is over.
func (a answers) noteAgain(ctx context.Context, answer reply, failure error) error {
	ctx, cancel := context.WithTimeout(ctx, noteFor)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, notePause) {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		if err := a.note(ctx, answer, failure); err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// note keeps the answer, or lets go of the key after a failure, unless the request took effect all the same. A transaction
// whose end is unknown holds the row until that end, so this waits for it.
func (a answers) note(ctx context.Context, answer reply, failure error) error {
	ctx, cancel := context.WithTimeout(ctx, noteOnce)
	defer cancel()
	if failure == nil {
		return a.keep(ctx, answer)
	}
	return a.release(ctx)
}
