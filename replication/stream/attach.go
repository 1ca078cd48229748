package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Place is a place in one incarnation of the stream: everything up to and including Seq was handled.
type Place struct {
	Stream string // name and creation time
	Seq    uint64
}

// Resumption says how the stream that was found compares to the place from which it is to be followed.
type Resumption string

const (
	// Resumed: the next message is the one after the place.
	Resumed Resumption = "resumed"
	// Lost: the stream no longer has the message after the place. It was trimmed, lost its tail, or is another stream.
	Lost Resumption = "lost"
	// Fresh: there was no place.
	Fresh Resumption = "fresh"
)

// Attachment is the beginning of an uninterrupted stretch of messages.
type Attachment struct {
	// Place is where the stretch begins: the next message has a greater sequence.
	Place
	How Resumption
}

// replayed is how many of the newest messages are delivered where there is no place to go on from. What is missing before
// them, core has.
const replayed = 1000

func identity(info *jetstream.StreamInfo) string {
	return info.Config.Name + "@" + info.Created.UTC().Format(time.RFC3339Nano)
}

// begin decides where to begin in the stream as it is.
func begin(info *jetstream.StreamInfo, from Place) Attachment {
	name, last := identity(info), info.State.LastSeq
	before := max(info.State.FirstSeq, 1) - 1 // before the first message
	if from.Stream == name && from.Seq >= before && from.Seq <= last {
		return Attachment{from, Resumed}
	}
	a := Attachment{Place{name, max(before, max(last, replayed)-replayed)}, Lost}
	if from == (Place{}) {
		a.How = Fresh
	}
	return a
}

// source is a consumer on the server, and the messages it sends.
type source struct {
	Attachment
	conn      *Conn
	consumer  jetstream.Consumer
	messages  jetstream.MessagesContext
	delivered uint64 // by the consumer's own count, which has no holes
}

const (
	pullMessages  = 512
	pullBytes     = 8 << 20
	pullExpiry    = 10 * time.Second
	pullHeartbeat = time.Second
)

var errReplacedMeanwhile = errors.New("the stream was replaced while attaching to it")

func (c *Conn) attach(ctx context.Context, from Place) (*source, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	a := &source{Attachment: begin(s.CachedInfo(), from), conn: c}
	a.consumer, err = s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Description:       c.cfg.Name,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       a.Seq + 1,
		FilterSubject:     logSubjects + "*",
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("follow stream %s: %w", StreamName, mapError(err))
	}
	// The consumer belongs to the stream that was looked at only if that is still there.
	if info, err := s.Info(ctx); err != nil || identity(info) != a.Stream {
		c.forget(a.consumer)
		return nil, errors.Join(errReplacedMeanwhile, mapError(err))
	}
	a.messages, err = a.consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(pullMessages, pullBytes),
		jetstream.PullExpiry(pullExpiry), jetstream.PullHeartbeat(pullHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		c.forget(a.consumer)
		return nil, fmt.Errorf("follow stream %s: %w", StreamName, err)
	}
	return a, nil
}

func (a *source) next(ctx context.Context) (Message, error) {
	m, err := a.messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return Message{}, err
	}
	meta, err := m.Metadata()
	if err != nil {
		return Message{}, err
	}
	if meta.Sequence.Consumer != a.delivered+1 {
		return Message{}, fmt.Errorf("message %d of the consumer came after %d", meta.Sequence.Consumer, a.delivered)
	}
	a.delivered++
	return message(m.Subject(), meta.Sequence.Stream, meta.Timestamp, m.Headers(), m.Data()), nil
}

func (a *source) close() {
	a.messages.Stop()
	a.conn.forget(a.consumer)
}
