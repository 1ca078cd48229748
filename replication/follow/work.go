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
		line    *line
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
	if len(l.queue) > 0 && !l.blocked {
		l.busy = true
		f.apply.push(l)
		return
	}
	if l.missedLast > 0 {
		l.repair = true
	}
	if !l.repair && !l.load {
		return
	}
	if wait := time.Until(l.notBefore); wait > 0 {
		f.kickAfter(l, wait)
		return
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

func (f *Follower) kickAfter(l *log, wait time.Duration) {
	if l.alarm {
		return
	}
	l.alarm = true
	time.AfterFunc(wait, func() {
		l.mu.Lock()
		l.alarm = false
		l.mu.Unlock()
		f.kick(l)
	})
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
	wait := min(f.cfg.Tuning.Retry<<min(l.tries, 16), f.cfg.Tuning.LongestRetry)
	wait = wait/2 + rand.N(wait/2+1)
	l.tries++
	l.notBefore = time.Now().Add(wait)
	tries := l.tries
	l.mu.Unlock()
	if stopped {
		f.alarm(l.id, err)
	}
	if tries&(tries-1) == 0 { // the first, second, fourth, eighth … time
		f.cfg.Logger.Warn("a log does not go on; it is tried again", "log", l.id, "stopped", stopped, "error", err, "tries", tries)
	}
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
