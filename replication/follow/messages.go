package follow

import (
	"context"

	"svc/replication/stream"
)

// onAttached is told where a stretch of messages begins. Whatever is missing before it, core's heads show.
func (f *Follower) onAttached(_ context.Context, a stream.Attachment) error {
	f.tracker.begin(Cursor(a.Place))
	f.attached.Store(&a.Stream)
	if f.interrupted.CompareAndSwap(true, false) {
		f.cfg.Logger.Info("the stream is followed again", "how", a.How)
	}
	how := a.How
	if f.departure != "" {
		how, f.departure = f.departure, ""
	}
	f.cfg.Metrics.attached(how)
	if how != stream.Resumed {
		f.cfg.Logger.Info("following the stream from a new place", "how", how, "stream", a.Stream, "after", a.Seq)
	}
	if a.How != stream.Resumed {
		f.wantHeads()
	}
	return nil
}

// onDetached says it once for an interruption, however often it is tried to follow the stream again.
func (f *Follower) onDetached(err error) {
	f.attached.Store(nil)
	if f.interrupted.CompareAndSwap(false, true) {
		f.cfg.Logger.Warn("the stream is interrupted; core is asked for changes until it is back", "error", err)
	}
}

// onMessage puts a message in the queue of its log. It never waits: what does not fit, the log reads for itself.
func (f *Follower) onMessage(_ context.Context, m stream.Message) error {
	if !f.cfg.Wants(m.Log) {
		f.tracker.pass(m.Seq)
		return nil
	}
	f.cfg.Metrics.messages.Inc()
	l := f.log(m.Log)
	l.mu.Lock()
	switch {
	case m.Stated && m.Position.Epoch == l.at.Epoch && m.Position.Seq <= l.at.Seq &&
		(m.Position.Seq < l.at.Seq || m.Position.Chain == l.at.Chain):
		f.cfg.Metrics.duplicates.Inc()
		f.tracker.pass(m.Seq)
	case l.missedLast > 0 || !f.fits(l, len(m.Envelope)):
		f.miss(l, m)
	default:
		waiting := message{envelope: m.Envelope, seq: m.Seq}
		if l.blocked || l.trouble != nil { // it may take long; positions tell what is missing
			f.tracker.pass(m.Seq)
		} else {
			waiting.span = f.tracker.open(m.Seq)
		}
		l.queue = append(l.queue, waiting)
		l.queueBytes += len(m.Envelope)
		f.queued.Add(int64(len(m.Envelope)))
	}
	l.mu.Unlock()
	f.kick(l)
	return nil
}

// fits reports whether a message may wait. A single large one may.
func (f *Follower) fits(l *log, bytes int) bool {
	if l.trouble != nil && l.trouble.Stopped {
		return false
	}
	return len(l.queue) == 0 || len(l.queue) < f.cfg.Tuning.QueueMessages &&
		l.queueBytes+bytes <= f.cfg.Tuning.QueueBytes &&
		f.queued.Load()+int64(bytes) <= int64(f.cfg.Tuning.TotalBytes)
}

// miss notes from where the log has to read for itself.
func (f *Follower) miss(l *log, m stream.Message) {
	if l.missedLast == 0 {
		f.cfg.Metrics.overflows.Inc()
		place := stream.Place{Seq: m.Seq - 1}
		if name := f.attached.Load(); name != nil {
			place.Stream = *name
		}
		l.missed = place
	}
	l.missedLast = m.Seq
	f.tracker.pass(m.Seq)
}

// first returns the first waiting message, and false where none waits.
func (l *log) first() (message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return message{}, false
	}
	return l.queue[0], true
}

// pop removes the first waiting message, which has been handled.
func (f *Follower) pop(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.queue[0]
	l.queue[0] = message{}
	l.queue = l.queue[1:]
	l.queueBytes -= len(m.envelope)
	f.queued.Add(-int64(len(m.envelope)))
	m.span.done()
}
