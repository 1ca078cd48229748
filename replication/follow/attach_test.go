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
	f := r.follow(&followtest.Store{}, quick())
	counted := func(how string) {
		t.Helper()
		r.until("a beginning is counted as "+how, func() bool { return f.figure("svc_follow_attachments_total", how) > 0 })
	}
	counted("fresh")
	r.lose(project)
	r.publish(project, 3)
	r.relay(project)
	f.level(project)
	r.nats.Kill(t)
	r.nats.Start(t)
	counted("resumed")
	r.ensure()
	if err := r.jetstream().DeleteStream(t.Context(), stream.StreamName); err != nil {
		t.Fatal(err)
	}
	r.ensure()
	counted("lost")
}
