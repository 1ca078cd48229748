// Package streamtest reads what the stream has, for tests.
package streamtest

import (
	"context"
	"testing"

	"svc/replication/stream"
)

// Messages returns what the stream has of a log, the oldest first; where the stream lost its beginning, no more than there is
// among its newest thousand messages.
func Messages(t testing.TB, conn *stream.Conn, log string) []stream.Message {
	t.Helper()
	end, found, err := conn.Last(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return nil
	}
	var place stream.Place
	err = conn.Follow(t.Context(), place, stream.Handler{Attached: func(_ context.Context, a stream.Attachment) error {
		place.Stream = a.Stream
		return stream.ErrStop
	}})
	if err != nil {
		t.Fatal(err)
	}
	var all []stream.Message
	err = conn.Follow(t.Context(), place, stream.Handler{
		Attached: func(context.Context, stream.Attachment) error { return nil },
		Message: func(_ context.Context, m stream.Message) error {
			if m.Log == log {
				all = append(all, m)
			}
			if m.Seq >= end.Seq {
				return stream.ErrStop
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
