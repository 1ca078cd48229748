package publish

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/lifecycle"
)

// pollLoop finds changes that no one has sent, and records how far the stream is.
func (r *Relay) pollLoop(ctx context.Context) error {
	failing := false
	lifecycle.Every(ctx, r.Timing.Poll, func() {
		err := r.poll(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			r.Log.Warn("the relay cannot ask the database for unsent changes; trying again", "error", err)
		}
		failing = err != nil
	})
	return ctx.Err()
}

func (r *Relay) poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r.watchStream()
	if err := r.recordSent(ctx); err != nil || !r.Stream.Connected() {
		return err
	}
	unsent, err := r.Source.Unsent(ctx, r.Timing.OthersAfter)
	if err != nil {
		return err
	}
	r.Metrics.behind.Set(float64(len(unsent)))
	for _, log := range unsent {
		r.add(log)
	}
	return nil
}

// recordSent records how far logs were sent. Where that fails it is tried again with the next poll.
func (r *Relay) recordSent(ctx context.Context) error {
	r.mu.Lock()
	sent := maps.Clone(r.sent)
	r.mu.Unlock()
	if len(sent) == 0 {
		return nil
	}
	if err := r.Source.Sent(ctx, sent); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.sent, func(log string, seq uint64) bool { return sent[log] == seq })
	return nil
}

// wantVerify has all logs compared soon.
func (r *Relay) wantVerify() {
	select {
	case r.demand <- struct{}{}:
	default:
	}
}

// verifyLoop compares heads on demand and at intervals.
func (r *Relay) verifyLoop(ctx context.Context) error {
	failing := false
	for {
		wait := r.Timing.Verify
		if r.Stream.Connected() {
			err := r.round(ctx)
			if err != nil && !failing && ctx.Err() == nil {
				r.Log.Warn("the relay cannot compare the logs with the stream; trying again", "error", err)
			}
			if failing = err != nil; failing {
				wait = min(wait, time.Second)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.demand:
		case <-time.After(wait - wait/8 + rand.N(wait/4+1)):
		}
	}
}

// round makes the stream and the bucket of reports first: a server that restarted keeps no reports, and another one may
// have neither.
func (r *Relay) round(ctx context.Context) error {
	ensuring, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.Stream.Ensure(ensuring); err != nil {
		return err
	}
	return r.verify(ctx)
}

// verify compares the head of every log with its last message on the stream. A difference is not an error yet, it only queues
// the log; but a tail that the stream lost shows in no other way while a project is quiet.
func (r *Relay) verify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	last := map[string]tip{}
	err := r.Stream.Lasts(ctx, func(m stream.Message) error {
		last[m.Log] = tip{m.Seq, m.Position, m.Given}
		return nil
	})
	if err != nil {
		return err
	}
	const page = 4000
	for after := ""; ; {
		heads, err := r.Source.Heads(ctx, after, page)
		if err != nil {
			return err
		}
		for _, h := range heads {
			r.compare(h, last[h.Log])
		}
		if len(heads) < page {
			return nil
		}
		after = heads[len(heads)-1].Log
	}
}

func (r *Relay) compare(head record.Head, last tip) {
	level := last.at.Seq == head.Position.Seq && last.at.Chain == head.Position.Chain && last.at.Epoch <= head.Position.Epoch
	if level {
		r.tips.LoadOrStore(head.Log, last)
		return
	}
	if head.Position.Seq == 0 && last.none() {
		return
	}
	r.tips.Delete(head.Log)
	r.add(head.Log)
}
