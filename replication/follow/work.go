package follow

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"svc/replication/record"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// turnMessages is how many messages of one log a worker applies before it looks at other logs.
const turnMessages = 64

// work starts the workers.
func (f *Follower) work(ctx context.Context, parts *sync.WaitGroup) {
	for _, w := range []struct {
		line    *queue
		workers int
		do      func(context.Context, *log)
	}{
		{f.apply, workers, f.turn}, {f.repairs, repairs, f.alone}, {f.loads, loads, f.alone}, {f.own, 2, f.alone},
	} {
		for range w.workers {
			parts.Go(func() {
				for l := w.line.pop(ctx); l != nil; l = w.line.pop(ctx) {
					w.do(ctx, l)
					f.leave(l)
				}
			})
		}
	}
}

// schedule gives a log to a worker where there is something to do that can be done now.
func (f *Follower) schedule(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy || f.ctx.Err() != nil {
		return
	}
	now := time.Now()
	loadAt, load := l.loadDue()
	load = load && !loadAt.After(now)
	var line *queue
	switch {
	case load && l.rebuild:
		line = f.loads
	case len(l.queue) > 0 && !l.blocked:
		line = f.apply
	case load:
		line = f.loads
	case l.repair && !l.notBefore.After(now):
		line = f.repairs
	default:
		f.scheduleDue(l, now)
		return
	}
	l.busy = true
	if l.organization && line != f.apply {
		line = f.own
	}
	line.push(l)
}

// loadDue is from when on a snapshot is to be loaded; false where none is. The log is locked.
func (l *log) loadDue() (at time.Time, wanted bool) {
	if l.asked {
		return time.Time{}, true
	}
	return l.loadAfter, l.load || l.rebuild
}

// scheduleDue has the log looked at when something is due, whenever that was meant to be before: it may have been much later.
// The log is locked.
func (f *Follower) scheduleDue(l *log, now time.Time) {
	at, wanted := l.loadDue()
	if l.repair && (!wanted || l.notBefore.Before(at)) {
		at, wanted = l.notBefore, true
	}
	if !wanted {
		return
	}
	if l.later == nil {
		l.later = time.AfterFunc(at.Sub(now), func() { f.schedule(l) })
		return
	}
	l.later.Reset(at.Sub(now))
}

// leave ends a worker's turn with a log.
func (f *Follower) leave(l *log) {
	l.mu.Lock()
	l.busy = false
	arrived := l.starting && (l.upToDate() || l.trouble != nil && l.trouble.Stopped)
	if arrived {
		l.starting = false
	}
	l.mu.Unlock()
	if arrived {
		f.starting.Add(-1)
		f.arrive()
	}
	f.schedule(l)
}

// arrive notes when the last log was level for the first time.
func (f *Follower) arrive() {
	if f.begun.Load() && f.starting.Load() == 0 && f.headsKnown() && f.settled.CompareAndSwap(false, true) {
		f.cfg.Logger.Info("every log is level with core")
	}
}

// alone does for a log what may take long: it loads a snapshot where that is due, else asks core for what is missing.
func (f *Follower) alone(ctx context.Context, l *log) {
	l.mu.Lock()
	at, load := l.loadDue()
	if load = load && !at.After(time.Now()); !load {
		l.repair = false
	}
	l.mu.Unlock()
	if !load || !f.loadLog(ctx, l) {
		f.repairLog(ctx, l)
	}
}

// fail notes that a log does not go on, and when to try again. Where an operator has to look at that, it is an alarm.
func (f *Follower) fail(l *log, err error) {
	stopped := stops(err)
	t := &Trouble{Stopped: stopped, Reason: err.Error(), Since: f.cfg.Now()}
	l.mu.Lock()
	if former := l.trouble; former != nil && former.Stopped == stopped {
		t.Since = former.Since
	}
	l.trouble = t
	l.notBefore = time.Now().Add(f.retry(l.tries))
	l.tries++
	tries := l.tries
	l.mu.Unlock()
	if stopped {
		f.alarm(l.id, err)
	}
	if tries&(tries-1) == 0 { // the first, second, fourth, eighth … time
		f.cfg.Logger.Warn("a log does not go on; it is tried again", "log", l.id, "stopped", stopped, "error", err, "tries", tries)
	}
}

// stops tells errors that an operator has to look at from those that pass.
func stops(err error) bool {
	var unknown *record.UnknownError
	var stopped *stoppedError
	return errors.As(err, &unknown) || errors.As(err, &stopped)
}

// retry is how long to wait after a failure that came after so many others.
func (f *Follower) retry(others int) time.Duration {
	wait := min(f.cfg.Tuning.Retry<<min(others, 16), f.cfg.Tuning.LongestRetry)
	return wait/2 + rand.N(wait/2+1)
}

// alarm tells of a log that is stopped. That the store takes nothing now, as on a full disk, is the store's own to tell.
func (f *Follower) alarm(id string, err error) {
	var unknown *record.UnknownError
	switch {
	case errors.As(err, &unknown):
		f.cfg.Alarms.Clear(telemetry.ApplyFailing, id)
		f.cfg.Alarms.Set(telemetry.UnknownRecord, id, err.Error())
	case !fault.Is(err, fault.Unavailable):
		f.cfg.Alarms.Clear(telemetry.UnknownRecord, id)
		f.cfg.Alarms.Set(telemetry.ApplyFailing, id, err.Error())
	}
}

// clearTrouble notes that a log goes on.
func (f *Follower) clearTrouble(l *log) {
	l.mu.Lock()
	former := l.trouble
	if former != nil {
		l.trouble, l.tries, l.notBefore = nil, 0, time.Time{}
	}
	l.mu.Unlock()
	if former != nil {
		f.cfg.Alarms.Clear(telemetry.UnknownRecord, l.id)
		f.cfg.Alarms.Clear(telemetry.ApplyFailing, l.id)
	}
}
