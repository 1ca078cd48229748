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
		r.tips.Delete(log)
	}
	return fmt.Errorf("log %s: another relay was quicker %d times in a row", log, contests)
}

// push sends from the last message on, until there is nothing more.
func (r *Relay) push(ctx context.Context, log string) error {
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
			if at, err = r.append(ctx, c, at, tail.Given); err != nil {
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

const (
	// stores is how many large changes go to object storage at once. They are fewer than the workers: where object
	// storage hangs, small changes of other logs, revocations among them, go on.
	stores = 8
	// storePause is how long a log waits that was put off.
	storePause = time.Second
)

// errStoring puts a log off whose next change is large, while as many as may are being stored.
var errStoring = errors.New("other large changes are being stored")

// store puts the body of a large change into object storage.
func (r *Relay) store(ctx context.Context, log string, e record.Encoded) error {
	select {
	case r.storing <- struct{}{}:
		defer func() { <-r.storing }()
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.putOff[log] = struct{}{}
		return errStoring
	}
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	return r.Blobs.Put(ctx, e.BlobKey, bytes.NewReader(e.Blob), int64(len(e.Blob)), blob.PutOptions{})
}

// mustWait reports whether a log was put off and would be again: its large change is not even read then, since
// reading and packing the changes of many logs again and again takes the processor from all others.
func (r *Relay) mustWait(log string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, was := r.putOff[log]; !was {
		return false
	}
	if len(r.storing) == cap(r.storing) {
		return true
	}
	delete(r.putOff, log)
	return false
}
