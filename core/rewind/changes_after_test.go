package rewind

import (
	"testing"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/shared/fault"
)

func TestAnEdgeAheadOfTheDatabaseRaisesTheEpochOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	at := b.change(3)
	lost := record.Position{Epoch: 1, Seq: 5, Chain: record.Hash{1}}
	twin := record.Position{Epoch: 1, Seq: 2, Chain: record.Hash{1}}
	for _, tt := range []struct {
		name  string
		at    record.Position
		proof publish.Proof
		epoch uint64
	}{
		{"level", at, publish.Proved, 1},
		{"ahead", lost, publish.Disproved, 2},
		{"ahead, once more", lost, publish.Disproved, 2},
		{"on another branch of an old epoch", twin, publish.Disproved, 2},
		{"level, in the old epoch", at, publish.Proved, 2},
		{"level, in an epoch that the database forgot", record.Position{Epoch: 5, Seq: 3, Chain: at.Chain}, publish.Proved, 6},
		{"on another branch of this epoch", record.Position{Epoch: 6, Seq: 2, Chain: record.Hash{1}}, publish.Disproved, 7},
	} {
		tail, _, err := ChangesAfter(t.Context(), b.pool, log, tt.at, nil)
		if err != nil || tail.Proof != tt.proof || tail.Head.Epoch != tt.epoch {
			t.Errorf("%s: %s, head %s, %v", tt.name, tail.Proof, tail.Head, err)
		}
	}
	// The epoch of the log is that of every change it gives out, and of those to come.
	b.change(1)
	tail, _, err := ChangesAfter(t.Context(), b.pool, log, record.Position{Epoch: 1}, nil)
	if err != nil || len(tail.Changes) != 4 {
		t.Fatal(tail, err)
	}
	for _, c := range tail.Changes {
		if c.Position.Epoch != 7 {
			t.Errorf("%s", c.Position)
		}
	}
	if _, _, err := ChangesAfter(t.Context(), b.pool, log, record.Position{Epoch: 1 << 60}, nil); !fault.Is(err, fault.ValidationFailed) {
		t.Error(err)
	}
}
