package stream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/replication/record"
)

const (
	// positionHeader repeats a record's position, so that heads can be compared without reading bodies.
	positionHeader = "Svc-Position"
	// givenHeader is the newest number and the newest time that a release of the project had been given by then.
	givenHeader = "Svc-Given"
)

// Append stores an envelope as the next message of a log, on condition that the log's last message has the sequence
// expected in the stream (0: the log has none), and returns the new message's sequence. Messages carry no id: the
// server would take one that a purge removed for a duplicate, and drop it silently. Given is what no later release of the
// project may be given again, zero where there is nothing to say.
//
// ErrWrongSequence and ErrNoStream mean that nothing was stored. After any other error, a deadline above all, it may
// have been: Last tells.
func (c *Conn) Append(ctx context.Context, log string, at record.Position, given record.Stamp, envelope []byte, expected uint64) (seq uint64, err error) {
	msg := &nats.Msg{
		Subject: logSubjects + log,
		Header:  nats.Header{positionHeader: {at.String()}},
		Data:    envelope,
	}
	if given != (record.Stamp{}) {
		msg.Header.Set(givenHeader, given.String())
	}
	ack, err := c.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(StreamName),
		jetstream.WithExpectLastSequencePerSubject(expected), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, fmt.Errorf("append %s to log %s: %w", at, log, mapError(err))
	}
	return ack.Sequence, nil
}
