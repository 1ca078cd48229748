package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob"
)

const (
	appendTimeout = 5 * time.Second
	blobTimeout   = 2 * time.Minute
	// contests is how often a relay looks again at once after another one was quicker.
	contests = 5
)

// tip is the last message of a log on the stream; a zero seq says that there is none.
type tip struct {
	seq   uint64 // in the stream
	at    record.Position
	given record.Stamp // to releases of the project by then, as far as the message tells
}

func (t tip) none() bool { return t.seq == 0 }

// send brings a log's stream level with its head; a large change ends it with errLarge unless it may be stored.
func (r *Relay) send(ctx context.Context, log string, store bool) error {
	for range contests {
		err := r.push(ctx, log, store)
		if !errors.Is(err, stream.ErrWrongSequence) {
			return err
		}
		r.Metrics.contests.Inc()
		r.tips.Delete(log)
	}
	return fmt.Errorf("log %s: another relay was quicker %d times in a row", log, contests)
}

// push sends from the last message on, until there is nothing more.
func (r *Relay) push(ctx context.Context, log string, store bool) error {
	remembered, known := r.tips.Load(log)
	at, _ := remembered.(tip)
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
			if at, err = r.append(ctx, c, at, tail.Given, store); err != nil {
				return err
			}
			r.tips.Store(log, at)
		}
		if len(tail.Changes) == 0 || at.at.Seq >= tail.Head.Seq {
			if !at.none() {
				r.tips.Store(log, at)
				r.noteSent(log, min(at.at.Seq, tail.Head.Seq))
			}
			return nil
		}
	}
}

func (r *Relay) noteSent(log string, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[log] = seq
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
	return tip{m.Seq, m.Position, m.Given}, nil
}

// next returns what is to follow the last message. Where that message is none that the database ever wrote, or of an
// epoch that it does not know, the database went back behind the stream: the log gets a new epoch, whose first message
// is its newest change, sent again. Edges that are level with it see that by the chain; the others ask for what they
// miss.
func (r *Relay) next(ctx context.Context, log string, at tip) (Tail, error) {
	if at.at.Seq == 0 { // there is none, or it is no change of a log
		return r.Source.Resume(ctx, log, false)
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
	return r.Source.Resume(ctx, log, true)
}

// append sends one change behind the last message.
func (r *Relay) append(ctx context.Context, c *record.Change, after tip, given record.Stamp, store bool) (tip, error) {
	if err := r.Version.Allow(c.Log, c.Position.Seq, c.Body); err != nil {
		return tip{}, err
	}
	encoded, err := record.Encode(c, record.InlineLimit)
	if err != nil {
		return tip{}, err
	}
	if encoded.Blob != nil {
		if !store {
			return tip{}, errLarge
		}
		if err := r.store(ctx, encoded); err != nil {
			return tip{}, err
		}
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

// errLarge puts a log into the queue of large changes: where object storage hangs, small changes of other logs, revocations
// among them, go on.
var errLarge = errors.New("the next change is large")

// store puts the body of a large change into object storage.
func (r *Relay) store(ctx context.Context, e record.Encoded) error {
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	r.Metrics.large.Inc()
	return r.Blobs.Put(ctx, e.BlobKey, bytes.NewReader(e.Blob), int64(len(e.Blob)), blob.PutOptions{})
}
