package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/replication/record"
	"svc/replication/stream"
)

const (
	appendTimeout = 5 * time.Second
	blobTimeout   = 2 * time.Minute
	// contests is how often a relay looks again at once after another one was quicker.
	contests = 5
)

// send brings a log's stream level with its head.
func (r *Relay) send(ctx context.Context, log string) error {
	if r.mustWait(log) {
		return errStoring
	}
	for range contests {
		err := r.push(ctx, log)
		if !errors.Is(err, stream.ErrWrongSequence) {
			return err
		}
		r.Metrics.contests.Inc()
		r.tips.forget(log)
	}
	return fmt.Errorf("log %s: another relay was quicker %d times in a row", log, contests)
}

// push sends from the last message on, until there is nothing more.
func (r *Relay) push(ctx context.Context, log string) error {
	at, known := r.tips.get(log)
	if !known {
		var err error
		if at, err = r.last(ctx, log); err != nil {
			return err
		}
	}
	for {
		tail, err := r.next(ctx, log, at)
		if err != nil {
			return err
		}
		for _, c := range tail.Changes {
			if at, err = r.append(ctx, c, at, tail.Given); err != nil {
				return err
			}
			r.tips.set(log, at)
		}
		if len(tail.Changes) == 0 || at.at.Seq >= tail.Head.Seq {
			if !at.none() {
				r.tips.set(log, at)
				r.sent.note(log, min(at.at.Seq, tail.Head.Seq))
			}
			return nil
		}
	}
}

// last asks the stream for the log's last message, and makes the stream where there is none.
func (r *Relay) last(ctx context.Context, log string) (tip, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	m, found, err := r.Stream.Last(ctx, log)
	if errors.Is(err, stream.ErrNoStream) {
		if err = r.Stream.Ensure(ctx); err == nil {
			m, found, err = r.Stream.Last(ctx, log)
		}
	}
	if err != nil || !found {
		return tip{}, err
	}
	return tip{m.Seq, m.At(), m.Given}, nil
}

// next returns what is to follow the last message. Where that message is none that the database ever wrote, or of an
// epoch that it does not know, the database went back behind the stream: the log gets a new epoch, whose first message
// is its newest change, sent again. Edges that are level with it see that by the chain; the others ask for what they
// miss.
func (r *Relay) next(ctx context.Context, log string, at tip) (Tail, error) {
	if at.none() {
		return r.Source.Resume(ctx, log)
	}
	tail, err := r.Source.After(ctx, log, at.at)
	if err != nil {
		return Tail{}, err
	}
	if at.at.Epoch > tail.Head.Epoch || tail.Proof == Disproved {
		if err := r.WentBack(ctx, log, at.at, at.given); err != nil {
			return Tail{}, err
		}
		if tail, err = r.Source.After(ctx, log, at.at); err != nil {
			return Tail{}, err
		}
	}
	if tail.Proof == Proved {
		return tail, nil
	}
	return r.Source.Newest(ctx, log)
}

// append sends one change behind the last message.
func (r *Relay) append(ctx context.Context, c *record.Change, after tip, given record.Stamp) (tip, error) {
	if err := r.Version.Allow(c.Log, c.Position.Seq, c.Body); err != nil {
		return tip{}, err
	}
	encoded, err := record.Encode(c, record.InlineLimit)
	if err != nil {
		return tip{}, err
	}
	if encoded.Blob != nil {
		if err := r.store(ctx, c.Log, encoded); err != nil {
			return tip{}, err
		}
		r.Metrics.large.Inc()
	}
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	seq, err := r.Stream.Append(ctx, c.Log, c.Position, given, encoded.Envelope, after.seq)
	if err != nil {
		return tip{}, err
	}
	r.Metrics.appended(c.Time)
	return tip{seq, c.Position, given}, nil
}
