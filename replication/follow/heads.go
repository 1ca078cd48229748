package follow

import (
	"context"
	"time"

	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/shared/lifecycle"
)

// beat takes a heartbeat in.
func (f *Follower) beat(data []byte) {
	b, err := record.DecodeHeartbeat(data)
	if err != nil {
		f.cfg.Logger.Warn("a heartbeat cannot be read", "error", err)
		return
	}
	for _, h := range b.Heads {
		if f.cfg.Wants(h.Log) {
			f.learn(h, b.Settled, false)
		}
	}
	complete, hole := f.coverage.take(b, f.cfg.Now())
	if complete && b.All() && !f.headsKnown() {
		for _, l := range f.all() {
			f.missing(l, true, time.Time{})
		}
		f.knowHeads()
	}
	if _, seen, _ := f.coverage.now(); hole && f.cfg.Now().Sub(seen) >= f.cfg.Tuning.Silence {
		f.wantHeads()
	}
	f.tick()
}

// learn notes the head of a log. Settled is the database's time at which it was the head, zero where it is not known;
// certain is a head that was asked for.
func (f *Follower) learn(h record.Head, settled time.Time, certain bool) {
	covered, seen, _ := f.coverage.now()
	now := f.cfg.Now()
	l := f.log(h.Log)
	l.mu.Lock()
	defer l.mu.Unlock()
	newer := snapshot.Before(l.head, h.Position)
	later := !settled.IsZero() && !settled.Before(l.headSettled)
	if l.known && !certain && !newer && !later {
		return
	}
	if l.known && l.head != h.Position && l.upToDate() {
		l.levelSettled, l.levelSeen = covered, seen
	}
	l.head, l.known = h.Position, true
	if settled.After(l.headSettled) {
		l.headSettled = settled
	}
	if l.at.Seq == l.head.Seq && l.at.Chain == l.head.Chain && l.at.Seq > 0 {
		l.at.Epoch = max(l.at.Epoch, l.head.Epoch) // equal chains are equal histories
	}
	if !l.ahead() {
		l.aheadSince = time.Time{}
	}
	l.seeLateness(now)
}

// aheadGraces is for how many times the grace heads may lack what this edge holds before core is suspected to have
// gone back.
const aheadGraces = 5

// tick has core asked for what should have come by now.
func (f *Follower) tick() {
	now := f.cfg.Now()
	_, seen, _ := f.coverage.now()
	grace := f.cfg.Tuning.Grace
	for _, l := range f.all() {
		l.mu.Lock()
		if l.ahead() && l.aheadSince.IsZero() {
			l.aheadSince = now
		}
		late := !l.lateSince.IsZero() && now.Sub(l.lateSince) >= grace
		if l.ahead() && seen.Sub(l.aheadSince) > aheadGraces*grace {
			l.suspect = true
		}
		wanted := (late || l.suspect) && !l.busy && !l.repair && !l.load && (len(l.queue) == 0 || l.blocked)
		if wanted {
			l.repair = true
		}
		l.mu.Unlock()
		if wanted {
			f.schedule(l)
		}
	}
}

func (f *Follower) tickLoop(ctx context.Context) {
	lifecycle.Every(ctx, f.cfg.Tuning.Grace, f.tick)
}

// wantHeads has core asked for all heads soon.
func (f *Follower) wantHeads() {
	select {
	case f.ask <- struct{}{}:
	default:
	}
}

// headsLoop asks core for all heads at the start, when wanted, and again and again while heartbeats are silent.
func (f *Follower) headsLoop(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		err := f.readHeads(ctx)
		if err == nil {
			failures = 0
			f.awaitWanted(ctx)
			continue
		}
		if failures == 0 && ctx.Err() == nil {
			f.cfg.Logger.Warn("core does not tell the heads of logs; it is asked again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(f.retry(failures), f.cfg.Tuning.Silence)):
		}
		failures++
	}
}

// awaitWanted waits until heads are wanted, or heartbeats have been silent for long.
func (f *Follower) awaitWanted(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.ask:
			return
		case <-time.After(f.cfg.Tuning.Silence):
			if _, _, beat := f.coverage.now(); f.cfg.Now().Sub(beat) >= f.cfg.Tuning.Silence {
				return
			}
		}
	}
}

func (f *Follower) readHeads(ctx context.Context) error {
	asked := f.cfg.Now()
	heads, err := f.cfg.Core.Heads(ctx)
	if err != nil {
		return err
	}
	first := !f.headsKnown()
	for _, h := range heads {
		if !f.cfg.Wants(h.Log) {
			continue
		}
		f.learn(h, time.Time{}, true)
		f.missing(f.log(h.Log), first, asked)
	}
	f.coverage.answered(asked)
	f.knowHeads()
	return nil
}

// missing has a log repaired at once where core has more of it, or has less than the store held before core was asked.
// At a start, the follower is ready only once it is.
func (f *Follower) missing(l *log, first bool, asked time.Time) {
	l.mu.Lock()
	if l.ahead() && l.lastMove.Before(asked) {
		l.suspect = true
	}
	if l.upToDate() && !l.suspect {
		l.mu.Unlock()
		return
	}
	if first && !l.starting && !f.settled.Load() {
		l.starting = true
		f.starting.Add(1)
	}
	l.repair = true
	l.mu.Unlock()
	f.schedule(l)
}

// knowHeads notes that all heads are known.
func (f *Follower) knowHeads() {
	f.headsOnce.Do(func() { close(f.headsRead) })
	f.arrive()
}

func (f *Follower) headsKnown() bool {
	select {
	case <-f.headsRead:
		return true
	default:
		return false
	}
}
