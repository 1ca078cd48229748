package publish

import (
	"context"
	"strings"
	"time"

	"svc/replication/record"
)

// Seen is what a core saw committed of a log: the farthest position, and the greatest number and time that a release of
// the project was given.
type Seen struct {
	At    record.Position
	Given record.Stamp
}

// recollect has all logs compared with what this core saw committed, whenever the database was restarted or is behind that.
// It needs no stream, and runs even if another core has vouched for the database: that one cannot know what this one saw.
func (r *Relay) recollect(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	incarnation, _, err := r.History.Incarnation(asking)
	if err != nil {
		return err
	}
	doubted := r.History.Doubted()
	if r.recalled != incarnation || doubted {
		if err := r.recall(ctx); err != nil {
			r.recalled = ""
			return err
		}
		r.recalled = incarnation
	}
	return r.History.Notice(asking)
}

// recall raises every log that is behind what this core saw committed.
func (r *Relay) recall(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	seen := r.History.Seen() // before the heads: what is committed meanwhile is no loss
	if len(seen) == 0 {
		return nil
	}
	e := &Examiner{Source: r.Source, History: r.History}
	const page = 4000
	for after := ""; ; {
		heads, given, err := e.page(ctx, after, page)
		if err != nil {
			return err
		}
		for _, h := range heads {
			s, ok := seen[h.Log]
			if !ok {
				continue
			}
			loss, err := e.remember(ctx, h, given[h.Log], s)
			if err == nil {
				err = r.wentBack(ctx, loss)
			}
			if err != nil {
				return err
			}
		}
		if len(heads) < page {
			return nil
		}
		after = heads[len(heads)-1].Log
	}
}

// remember compares one log with what this core saw committed.
func (e *Examiner) remember(ctx context.Context, head record.Head, given record.Stamp, s Seen) (Loss, error) {
	const by = "this core"
	loss := Loss{Log: head.Log, Head: head.Position}
	if !strings.HasPrefix(head.Log, "org_") && given.Join(s.Given) != given {
		loss.Seen, loss.By, loss.Lost.Release = s.At, []string{by}, s.Given
	}
	if s.At.Seq == 0 {
		return loss, nil
	}
	err := e.weigh(ctx, &loss, by, s.At, func() (Lost, error) { return Lost{Epoch: s.At.Epoch, Release: s.Given}, nil })
	return loss, err
}
