package follow

import (
	"context"

	"svc/replication/stream"
)

// onAttached is told where a stretch of messages begins. Whatever is missing before it, core's heads show.
func (f *Follower) onAttached(_ context.Context, a stream.Attachment) error {
	f.attached.Store(true)
	f.cfg.Metrics.attachments.WithLabelValues(string(a.How)).Inc()
	if f.interrupted.CompareAndSwap(true, false) {
		f.cfg.Logger.Info("the stream is followed again", "how", a.How)
	}
	if a.How != stream.Resumed {
		f.cfg.Logger.Info("following the stream from a new place", "how", a.How, "stream", a.Stream, "after", a.Seq)
	}
	if a.How == stream.Lost {
		f.wantHeads()
	}
	return nil
}

// onDetached says it once for an interruption, however often it is tried to follow the stream again.
func (f *Follower) onDetached(err error) {
	f.attached.Store(false)
	if f.interrupted.CompareAndSwap(false, true) {
		f.cfg.Logger.Warn("the stream is interrupted; core is asked for changes until it is back", "error", err)
	}
}

// onMessage puts a message in the queue of its log. It never waits: what does not fit, core is asked for.
func (f *Follower) onMessage(_ context.Context, m stream.Message) error {
	if !f.cfg.Wants(m.Log) {
		return nil
	}
	f.cfg.Metrics.messages.Inc()
	l := f.log(m.Log)
	l.mu.Lock()
	switch size := len(m.Envelope); {
	case m.Position.Epoch == l.at.Epoch && m.Position.Seq <= l.at.Seq && (m.Position.Seq < l.at.Seq || m.Position.Chain == l.at.Chain):
		f.cfg.Metrics.duplicates.Inc()
	case f.fits(l, size):
		l.queue = append(l.queue, m.Envelope)
		l.queueBytes += size
		f.queued.Add(int64(size))
	default:
		if !l.repair {
			f.cfg.Metrics.overflows.Inc()
		}
		l.repair, l.suspect = true, true // core has more than its last head says
	}
	l.mu.Unlock()
	f.schedule(l)
	return nil
}

// fits reports whether a message may wait. A single large one may.
func (f *Follower) fits(l *log, bytes int) bool {
	if l.trouble != nil && l.trouble.Stopped {
		return false
	}
	return len(l.queue) == 0 || len(l.queue) < f.cfg.Tuning.QueueMessages &&
		l.queueBytes+bytes <= queueBytes && f.queued.Load()+int64(bytes) <= totalBytes
}

// first returns the first waiting message, and false where none waits.
func (l *log) first() ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil, false
	}
	return l.queue[0], true
}

// pop removes the first waiting message, which has been handled.
func (f *Follower) pop(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := len(l.queue[0])
	l.queue[0] = nil
	l.queue = l.queue[1:]
	l.queueBytes -= size
	f.queued.Add(-int64(size))
}
