package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"svc/replication/record"
)

func TestALogWaitsOnceAndIsWorkedOnByOne(t *testing.T) {
	q := newQueue()
	take := func(want string) {
		t.Helper()
		if got, ok := q.pop(); got != want || ok != (want != "") {
			t.Fatalf("took %q, want %q", got, want)
		}
	}
	q.add("prj_a")
	q.add("prj_a")
	q.add("prj_b")
	take("prj_a")
	q.add("prj_a") // changed while somebody works on it
	q.add("prj_a")
	take("prj_b")
	take("")
	q.done("prj_a")
	take("prj_a")
	q.done("prj_a")
	q.done("prj_b")
	take("")
	if len(q.state) != 0 {
		t.Fatalf("%d logs are remembered", len(q.state))
	}
}

func TestOrganizationsGoFirst(t *testing.T) {
	q := newQueue()
	for _, log := range []string{"prj_a", "org_a", "prj_b", "org_b"} {
		q.add(log)
	}
	var got []string
	for range 4 {
		log, ok := q.take(t.Context())
		if !ok {
			t.Fatal("nothing to take")
		}
		got = append(got, log)
	}
	if fmt.Sprint(got) != "[org_a org_b prj_a prj_b]" {
		t.Fatal(got)
	}
}

func TestTakeWaitsForWorkOrTheEnd(t *testing.T) {
	q := newQueue()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string)
	for range 3 {
		go func() {
			for {
				log, ok := q.take(ctx)
				if !ok {
					got <- "end"
					return
				}
				got <- log
				q.done(log)
			}
		}()
	}
	for i := range 100 { // a wake-up is never lost, whichever of the three sleeps
		want := fmt.Sprint("prj_", i)
		q.add(want)
		if log := <-got; log != want {
			t.Fatalf("took %s, want %s", log, want)
		}
	}
	cancel()
	for range 3 {
		if log := <-got; log != "end" {
			t.Fatal(log)
		}
	}
}

// recorder is a source of which only what was recorded matters.
type recorder struct {
	Source
	record func(map[string]uint64) error
}

func (s recorder) Sent(_ context.Context, seqs map[string]uint64) error { return s.record(seqs) }

func TestWhatCouldNotBeRecordedIsKeptBehindNewer(t *testing.T) {
	away := errors.New("away")
	r := &Relay{sent: map[string]uint64{"prj_a": 1, "prj_b": 1}}
	r.Source = recorder{record: func(map[string]uint64) error {
		r.noteSent("prj_a", 2) // while the database is asked
		return away
	}}
	if err := r.recordSent(t.Context()); !errors.Is(err, away) {
		t.Fatal(err)
	}
	var got map[string]uint64
	r.Source = recorder{record: func(seqs map[string]uint64) error { got = seqs; r.noteSent("prj_b", 3); return nil }}
	if err := r.recordSent(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, map[string]uint64{"prj_a": 2, "prj_b": 1}) {
		t.Fatal(got)
	}
	r.Source = recorder{record: func(seqs map[string]uint64) error { got = seqs; return nil }}
	if err := errors.Join(r.recordSent(t.Context()), r.recordSent(t.Context())); err != nil || !maps.Equal(got, map[string]uint64{"prj_b": 3}) {
		t.Fatal(got, err)
	}
}

func TestHeadsAreComparedWithTheStream(t *testing.T) {
	at := record.Position{Epoch: 2, Seq: 3, Chain: record.Hash{1}}
	for _, tt := range []struct {
		name string
		head record.Position
		last tip
		look bool
	}{
		{"level", at, tip{seq: 9, at: at}, false},
		{"level, before the epoch was raised", at, tip{seq: 9, at: record.Position{Epoch: 1, Seq: 3, Chain: record.Hash{1}}}, false},
		{"in an epoch unknown to the database", at, tip{seq: 9, at: record.Position{Epoch: 3, Seq: 3, Chain: record.Hash{1}}}, true},
		{"behind", at, tip{seq: 9, at: record.Position{Epoch: 2, Seq: 2, Chain: record.Hash{2}}}, true},
		{"on another branch", at, tip{seq: 9, at: record.Position{Epoch: 2, Seq: 3, Chain: record.Hash{2}}}, true},
		{"nothing on the stream", at, tip{}, true},
		{"nothing in either", record.Position{Epoch: 1}, tip{}, false},
		{"nothing in the database", record.Position{Epoch: 1}, tip{seq: 9, at: at}, true},
	} {
		r := &Relay{queue: newQueue()}
		r.compare(record.Head{Log: "prj_a", Position: tt.head}, tt.last)
		if _, look := r.queue.pop(); look != tt.look {
			t.Errorf("%s: look %v", tt.name, look)
		}
	}
}
