package stream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/replication/record"
)

// positionHeader repeats a record's position, so that heads can be compared without reading bodies.
const positionHeader = "Svc-Position"

// Append stores an envelope as the next message of a log, on condition that the log's last message has the sequence
// expected in the stream (0: the log has none), and returns the new message's sequence. Messages carry no id: the
// server would take one that a purge removed for a duplicate, and drop it silently.
//
// ErrWrongSequence and ErrNoStream mean that nothing was stored. After any other error, a deadline above all, it may
// have been: Last tells.
func (c *Conn) Append(ctx context.Context, log string, at record.Position, envelope []byte, expected uint64) (seq uint64, err error) {
	msg := &nats.Msg{
		Subject: logSubjects + log,
		Header:  nats.Header{positionHeader: {at.String()}},
		Data:    envelope,
	}
	ack, err := c.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(StreamName),
		jetstream.WithExpectLastSequencePerSubject(expected), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, fmt.Errorf("append %s to log %s: %w", at, log, mapError(err))
	}
	return ack.Sequence, nil
}
