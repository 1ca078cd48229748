package stream

import (
	"testing"

	"svc/replication/record"
)

func TestAPositionIsReadFromHeaderOrEnvelope(t *testing.T) {
	at := record.Position{Epoch: 2, Seq: 3, Chain: record.Hash{1}}
	stated := Message{Seq: 9, Position: at, Stated: true}
	if got := stated.At(); got != at {
		t.Error(got)
	}
	// What is no record stands for a position that no log ever had.
	none := Message{Seq: 9, Envelope: []byte("no record")}
	if got := none.At(); got.Epoch != 0 || got.Seq < 1<<62 {
		t.Error(got)
	}
}
