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
		{f.apply, f.cfg.Tuning.Workers, f.turn},
		{f.repairs, f.cfg.Tuning.Repairs, f.alone},
		{f.loads, f.cfg.Tuning.Loads, f.alone},
		{f.own, 2, f.alone},
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

// kick gives a log to a worker where there is something to do that can be done now.
func (f *Follower) kick(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy || f.ctx.Err() != nil {
		return
	}
	if !l.rebuilds() {
		if len(l.queue) > 0 && !l.blocked {
			l.busy = true
			f.apply.push(l)
			return
		}
		if l.missedLast > 0 {
			l.repair = true
		}
		at, wanted := l.due()
		if !wanted {
			return
		}
		if wait := time.Until(at); wait > 0 {
			f.kickAfter(l, wait)
			return
		}
	}
	l.busy = true
	switch {
	case l.organization:
		f.own.push(l)
	case l.load:
		f.loads.push(l)
	default:
		f.repairs.push(l)
	}
}

// due is from when on something may be done that a log does alone; false where there is nothing. The log is locked.
func (l *log) due() (at time.Time, wanted bool) {
	if l.repair || l.load {
		at, wanted = l.notBefore, true
	}
	if l.rebuild && l.rebuildTurn && (!wanted || l.rebuildFrom.Before(at)) {
		at, wanted = l.rebuildFrom, true
	}
	return at, wanted
}

// kickAfter has the log looked at after a wait, whenever that was meant to be before: it may have been much later. The log
// is locked.
func (f *Follower) kickAfter(l *log, wait time.Duration) {
	if l.later == nil {
		l.later = time.AfterFunc(wait, func() { f.kick(l) })
		return
	}
	l.later.Reset(wait)
}

// leave ends a worker's turn with a log.
func (f *Follower) leave(l *log) {
	l.mu.Lock()
	l.busy = false
	arrived := l.starting && (l.level() || l.trouble != nil && l.trouble.Stopped)
	if arrived {
		l.starting = false
	}
	l.mu.Unlock()
	if arrived {
		f.starting.Add(-1)
		f.arrive()
	}
	f.kick(l)
}

// arrive notes when the last log was level for the first time.
func (f *Follower) arrive() {
	if f.begun.Load() && f.starting.Load() == 0 && f.headsKnown() && f.settled.CompareAndSwap(false, true) {
		f.cfg.Logger.Info("every log is level with core")
	}
}

// alone does for a log what may take long.
func (f *Follower) alone(ctx context.Context, l *log) {
	l.mu.Lock()
	load := l.load
	l.load, l.repair = false, l.repair && load
	if load {
		l.rebuild, l.rebuilding, l.rebuildTurn = false, l.rebuild, false
	}
	l.release()
	l.mu.Unlock()
	if load {
		f.loadLog(ctx, l)
	} else {
		f.repairLog(ctx, l)
		l.mu.Lock()
		l.rebuildTurn = true
		l.mu.Unlock()
	}
}

// fail notes that a log does not go on, and when to try again.
func (f *Follower) fail(l *log, err error, stopped bool) {
	now := f.cfg.Now()
	l.mu.Lock()
	former := l.trouble
	t := &Trouble{Stopped: stopped, Reason: err.Error(), Since: now}
	if former != nil && former.Stopped == stopped {
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

// well notes that a log goes on.
func (f *Follower) well(l *log) {
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
