package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/replication/record"
)

// Message is a stored message of a log.
type Message struct {
	Log      string
	Seq      uint64 // in the stream
	Time     time.Time
	Envelope []byte
	// Position is the record's, as the header repeats it; Stated is false where the header is missing or malformed.
	Position record.Position
	Stated   bool
	// Given is what had been given to releases of the project by then, zero where the header does not say so.
	Given record.Stamp
}

// At returns the position in the header, or of the envelope where the header has none. A message that is no envelope at all
// stands for a position that no log was ever at.
func (m *Message) At() record.Position {
	if m.Stated {
		return m.Position
	}
	c, _, err := record.Decode(m.Envelope)
	if err != nil {
		return record.Position{Seq: ^uint64(0) >> 1}
	}
	return c.Position
}

// Last returns a log's last message as the stream's leader knows it, and false where the stream has none.
func (c *Conn) Last(ctx context.Context, log string) (Message, bool, error) {
	bound, done := c.bound(ctx)
	defer done()
	s, err := c.open(bound)
	if err != nil {
		return Message{}, false, err
	}
	raw, err := s.GetLastMsgForSubject(bound, logSubjects+log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Message{}, false, nil
	}
	if err != nil {
		return Message{}, false, fmt.Errorf("read the last message of log %s: %w", log, boundError(bound, err))
	}
	return message(raw.Subject, raw.Sequence, raw.Time, raw.Header, raw.Data), true, nil
}

// Lasts calls f with the last message of every log, without envelopes, in the order of the stream. While messages
// arrive a log may come up twice; the later call counts.
func (c *Conn) Lasts(ctx context.Context, f func(Message) error) error {
	return c.headers(ctx, "heads of all logs", logSubjects+"*", jetstream.DeliverLastPerSubjectPolicy, f)
}

// Back calls f with the messages of a log that the stream has, the newest first, until it returns false. What is
// purged meanwhile is left out.
func (c *Conn) Back(ctx context.Context, log string, f func(Message) (more bool, err error)) error {
	var seqs []uint64
	err := c.headers(ctx, "one log backwards", logSubjects+log, jetstream.DeliverAllPolicy, func(m Message) error {
		seqs = append(seqs, m.Seq)
		return nil
	})
	if err != nil {
		return err
	}
	bound, done := c.bound(ctx)
	s, err := c.open(bound)
	done()
	if err != nil {
		return err
	}
	for _, seq := range slices.Backward(seqs) {
		m, found, err := c.get(ctx, s, log, seq)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		more, err := f(m)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// get reads one message of a log; false where it is purged.
func (c *Conn) get(ctx context.Context, s jetstream.Stream, log string, seq uint64) (Message, bool, error) {
	bound, done := c.bound(ctx)
	defer done()
	raw, err := s.GetMsg(bound, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Message{}, false, nil
	}
	if err != nil {
		return Message{}, false, fmt.Errorf("read message %d of log %s: %w", seq, log, boundError(bound, err))
	}
	return message(raw.Subject, raw.Sequence, raw.Time, raw.Header, raw.Data), true, nil
}

// headers calls f with the messages, without envelopes, that a consumer of this policy finds now.
func (c *Conn) headers(ctx context.Context, purpose, filter string, from jetstream.DeliverPolicy, f func(Message) error) error {
	bound, done := c.bound(ctx)
	consumer, err := c.js.CreateConsumer(bound, StreamName, jetstream.ConsumerConfig{
		Description:       purpose,
		DeliverPolicy:     from,
		FilterSubject:     filter,
		HeadersOnly:       true,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 10 * time.Second,
	})
	done()
	if err != nil {
		return fmt.Errorf("read the %s in stream %s: %w", purpose, StreamName, boundError(bound, err))
	}
	defer c.forget(consumer)
	for pending := consumer.CachedInfo().NumPending; pending > 0; {
		batch, err := consumer.Fetch(int(min(pending, 500)), jetstream.FetchMaxWait(requestTimeout))
		if err != nil {
			return fmt.Errorf("read the %s in stream %s: %w", purpose, StreamName, mapError(err))
		}
		got := false
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return fmt.Errorf("read the %s in stream %s: %w", purpose, StreamName, err)
			}
			got, pending = true, min(pending-1, meta.NumPending)
			if err := f(message(m.Subject(), meta.Sequence.Stream, meta.Timestamp, m.Headers(), nil)); err != nil {
				return err
			}
		}
		if err := errors.Join(batch.Error(), ctx.Err()); err != nil {
			return fmt.Errorf("read the %s in stream %s: %w", purpose, StreamName, mapError(err))
		}
		if !got {
			return fmt.Errorf("read the %s in stream %s: %d messages did not come", purpose, StreamName, pending)
		}
	}
	return nil
}

// forget removes a consumer that is done; the server removes by itself what this misses.
func (c *Conn) forget(consumer jetstream.Consumer) {
	if !c.nc.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := c.js.DeleteConsumer(ctx, StreamName, consumer.CachedInfo().Name); err != nil {
		c.log.Debug("a consumer is left to the server to remove", "error", err)
	}
}

func message(subject string, seq uint64, at time.Time, header nats.Header, data []byte) Message {
	m := Message{Log: strings.TrimPrefix(subject, logSubjects), Seq: seq, Time: at, Envelope: data}
	p, err := record.ParsePosition(header.Get(positionHeader))
	m.Position, m.Stated = p, err == nil
	if given, err := record.ParseStamp(header.Get(givenHeader)); err == nil {
		m.Given = given
	}
	return m
}
