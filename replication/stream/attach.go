package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Place is a place in one incarnation of the stream: everything up to and including Seq was handled. The zero place is
// before everything.
type Place struct {
	Stream string // name and creation time
	Seq    uint64
}

// Resumption says how the stream that was found compares to the place from which it is to be followed.
type Resumption string

const (
	// Resumed: the next message is the one after the place.
	Resumed Resumption = "resumed"
	// Trimmed: the same stream, which no longer has the message after the place.
	Trimmed Resumption = "trimmed"
	// SetBack: the same stream, which ends before the place: it lost its tail. What it may have stored anew since is
	// delivered again, up to a bound.
	SetBack Resumption = "set back"
	// Replaced: another stream than that of the place. It is delivered from its first message.
	Replaced Resumption = "replaced"
	// Fresh: there was no place. The stream is delivered from its first message.
	Fresh Resumption = "fresh"
)

// Attachment is the beginning of an uninterrupted stretch of messages.
type Attachment struct {
	// Place is where the stretch begins: the next message has a greater sequence.
	Place
	How         Resumption
	First, Last uint64 // sequences in the stream at this moment
}

// replayed is how many messages are read again from a stream that was set back. More is left to the repair of gaps.
const replayed = 1000

// End returns the place behind the stream's newest message.
func (c *Conn) End(ctx context.Context) (Place, error) {
	bound, done := c.bound(ctx)
	defer done()
	s, err := c.open(bound)
	if err != nil {
		return Place{}, err
	}
	info := s.CachedInfo()
	return Place{Stream: identity(info), Seq: info.State.LastSeq}, nil
}

func identity(info *jetstream.StreamInfo) string {
	return info.Config.Name + "@" + info.Created.UTC().Format(time.RFC3339Nano)
}

// compare decides where to begin in the stream as it is.
func compare(info *jetstream.StreamInfo, from Place) Attachment {
	a := Attachment{
		Place: Place{Stream: identity(info)},
		First: info.State.FirstSeq, Last: info.State.LastSeq,
	}
	before := uint64(0) // before the first message
	if a.First > 0 {
		before = a.First - 1
	}
	switch {
	case from == Place{}:
		a.How, a.Seq = Fresh, before
	case from.Stream != a.Stream:
		a.How, a.Seq = Replaced, before
	case from.Seq > a.Last:
		a.How, a.Seq = SetBack, before
		if a.Last > replayed {
			a.Seq = max(before, a.Last-replayed)
		}
	case from.Seq < before:
		a.How, a.Seq = Trimmed, before
	default:
		a.How, a.Seq = Resumed, from.Seq
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

func (c *Conn) attach(ctx context.Context, filter string, from Place) (*source, error) {
	ctx, done := c.bound(ctx)
	defer done()
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	a := &source{Attachment: compare(s.CachedInfo(), from), conn: c}
	a.consumer, err = s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Description:       c.cfg.Name,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       a.Seq + 1,
		FilterSubject:     filter,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("follow stream %s: %w", StreamName, boundError(ctx, err))
	}
	// The consumer belongs to the stream that was looked at only if that is still there.
	if info, err := s.Info(ctx); err != nil || identity(info) != a.Stream {
		c.forget(a.consumer)
		return nil, errors.Join(errReplacedMeanwhile, boundError(ctx, err))
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
