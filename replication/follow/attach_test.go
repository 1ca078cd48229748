package follow_test

import (
	"testing"

	"svc/replication/follow/followtest"
	"svc/replication/stream"
)

// What is found of the place in the stream that was reached before is counted by kind, so an operator sees a stream that
// loses messages, even where edges make up for it unnoticed.
func TestEveryBeginningToFollowTheStreamIsCounted(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.relay(project)
	store, tuning := &followtest.Store{}, quick()
	counts := func(f *running, want map[string]float64) {
		t.Helper()
		for _, how := range []string{"resumed", "trimmed", "set_back", "replaced", "fresh", "skipped"} {
			if got := f.figure("svc_follow_attachments_total", how); got != want[how] {
				t.Errorf("%s: %v instead of %v", how, got, want[how])
			}
		}
	}
	begun := func() *running {
		t.Helper()
		f := r.follow(store, tuning)
		f.ready()
		r.until("the stream is followed", func() bool {
			total := 0.0
			for _, how := range []string{"resumed", "trimmed", "set_back", "replaced", "fresh", "skipped"} {
				total += f.figure("svc_follow_attachments_total", how)
			}
			return total > 0
		})
		f.level(project)
		f.stop()
		return f
	}
	counts(begun(), map[string]float64{"fresh": 1})
	r.publish(project, 3)
	r.relay(project)
	counts(begun(), map[string]float64{"resumed": 1})
	r.publish(project, 3)
	r.relay(project)
	s, err := r.jetstream().Stream(t.Context(), stream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts(begun(), map[string]float64{"trimmed": 1})
	if err := r.jetstream().DeleteStream(t.Context(), stream.StreamName); err != nil {
		t.Fatal(err)
	}
	r.ensure()
	counts(begun(), map[string]float64{"replaced": 1})
	r.lose(project)
	tuning.Replay = 2
	r.publish(project, 3)
	r.relay(project)
	counts(begun(), map[string]float64{"skipped": 1})
}
