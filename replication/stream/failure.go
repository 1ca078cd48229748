package stream

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrWrongSequence says that the last message of the log is not the expected one, and nothing was stored.
	ErrWrongSequence = errors.New("the log's last message is not the expected one")
	// ErrNoStream says that the stream does not exist, and nothing was stored or read.
	ErrNoStream = errors.New("the stream does not exist")
	// ErrDisconnected says that the server cannot be reached.
	ErrDisconnected = errors.New("the NATS server cannot be reached")
	// ErrStop ends Follow without an error when a handler returns it.
	ErrStop = errors.New("stop following")
)

// codes by which the server refuses an expected sequence, on one server and among replicas
var wrongSequence = []jetstream.ErrorCode{
	jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant,
}

// mapError puts our errors in front of those of NATS.
func mapError(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		for _, code := range wrongSequence {
			if api.ErrorCode == code {
				return fmt.Errorf("%w: %w", ErrWrongSequence, err)
			}
		}
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("%w: %w", ErrNoStream, err)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionClosed),
		errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: %w", ErrDisconnected, err)
	}
	return err
}
