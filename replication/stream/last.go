package stream

import (
	"context"
	"errors"
	"fmt"
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
	// Position is the record's, as the header repeats it; zero where the header is missing or malformed.
	Position record.Position
	// Given is what had been given to releases of the project by then, zero where the header does not say so.
	Given record.Stamp
}

// Last returns a log's last message as the stream's leader knows it, and false where the stream has none.
func (c *Conn) Last(ctx context.Context, log string) (Message, bool, error) {
	s, err := c.open(ctx)
	if err != nil {
		return Message{}, false, err
	}
	raw, err := s.GetLastMsgForSubject(ctx, logSubjects+log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Message{}, false, nil
	}
	if err != nil {
		return Message{}, false, fmt.Errorf("read the last message of log %s: %w", log, mapError(err))
	}
	return message(raw.Subject, raw.Sequence, raw.Time, raw.Header, raw.Data), true, nil
}

// Lasts calls f with the last message of every log, without envelopes, in the order of the stream. While messages
// arrive a log may come up twice; the later call counts.
func (c *Conn) Lasts(ctx context.Context, f func(Message) error) error {
	consumer, err := c.js.CreateConsumer(ctx, StreamName, jetstream.ConsumerConfig{
		Description:       "heads of all logs",
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     logSubjects + "*",
		HeadersOnly:       true,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 10 * time.Second,
	})
	if err != nil {
		return fmt.Errorf("read the heads of all logs: %w", mapError(err))
	}
	defer c.forget(consumer)
	for pending := consumer.CachedInfo().NumPending; pending > 0; {
		batch, err := consumer.Fetch(int(min(pending, 500)), jetstream.FetchMaxWait(requestTimeout))
		if err != nil {
			return fmt.Errorf("read the heads of all logs: %w", mapError(err))
		}
		got := false
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return fmt.Errorf("read the heads of all logs: %w", err)
			}
			got, pending = true, min(pending-1, meta.NumPending)
			if err := f(message(m.Subject(), meta.Sequence.Stream, meta.Timestamp, m.Headers(), nil)); err != nil {
				return err
			}
		}
		if err := errors.Join(batch.Error(), ctx.Err()); err != nil {
			return fmt.Errorf("read the heads of all logs: %w", mapError(err))
		}
		if !got {
			return fmt.Errorf("read the heads of all logs: %d messages did not come", pending)
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
	if p, err := record.ParsePosition(header.Get(positionHeader)); err == nil {
		m.Position = p
	}
	if given, err := record.ParseStamp(header.Get(givenHeader)); err == nil {
		m.Given = given
	}
	return m
}
