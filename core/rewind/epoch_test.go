package rewind

import (
	"testing"

	"github.com/nats-io/nats.go"

	"svc/replication/record"
)

func TestADatabaseThatWentBackBeginsAnEpoch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		after  int // changes made after it went back, before anybody looks
		epoch  uint64
		stream string
	}{
		{"quiet", 0, 2, "[1.1 1.2 1.3 1.4 1.5 2.3]"},
		{"with fewer new changes", 1, 2, "[1.1 1.2 1.3 1.4 1.5 2.4]"},
		{"with as many new changes", 2, 2, "[1.1 1.2 1.3 1.4 1.5 2.5]"},
		{"with more new changes", 4, 2, "[1.1 1.2 1.3 1.4 1.5 2.7]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t).withStream()
			stop := b.relay()
			third := b.change(3)
			b.change(2)
			b.level()
			stop()
			b.goBack(third)
			b.change(tt.after)
			b.relay()
			if at := b.level(); at.Epoch != tt.epoch {
				t.Errorf("epoch %d", at.Epoch)
			}
			if got := b.positions(); got != tt.stream {
				t.Errorf("the stream has %s, want %s", got, tt.stream)
			}
			// The epoch is begun once; what follows goes on from it.
			next := b.change(2)
			if at := b.level(); at != next || at.Epoch != tt.epoch {
				t.Errorf("then at %s", at)
			}
		})
	}
}

func TestADatabaseThatForgotAnEpochGoesAboveIt(t *testing.T) {
	t.Parallel()
	b := newBed(t).withStream()
	stop := b.relay()
	third := b.change(3)
	b.level()
	stop()
	_, err := raiseEpoch(t.Context(), b.pool, log, Lost{Epoch: 4}, false)
	b.ok(err)
	last := b.change(1)
	stop = b.relay()
	if at := b.level(); at != last || at.Epoch != 5 {
		t.Fatalf("at %s", at)
	}
	stop()
	b.goBack(third)
	b.relay()
	if at := b.level(); at.Epoch != 6 || at.Seq != 3 {
		t.Fatalf("at %s", at)
	}
}

func TestADatabaseThatLostAWholeLogBeginsAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t).withStream()
	stop := b.relay()
	b.change(3)
	b.level()
	stop()
	b.goBack(record.Position{Epoch: 1})
	b.relay()
	b.until("the epoch is raised", func() bool { return b.head().Epoch == 2 })
	b.change(1)
	if at := b.level(); at.Epoch != 2 || at.Seq != 1 {
		t.Fatalf("at %s", at)
	}
}

func TestAnotherMessageOnTheSubjectDoesNotStopTheLog(t *testing.T) {
	t.Parallel()
	b := newBed(t).withStream()
	b.until("there is a stream", func() bool { return b.conn.Ensure(t.Context()) == nil })
	b.change(2)
	nc, err := nats.Connect(b.nats)
	b.ok(err)
	defer nc.Close()
	b.ok(nc.Publish("svc.log."+log, []byte("no record")))
	b.until("the stream has it", func() bool { _, found, err := b.conn.Last(t.Context(), log); return err == nil && found })
	b.relay()
	if at := b.level(); at.Seq != 2 {
		t.Fatalf("at %s", at)
	}
}
