package e2e

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/stream"
	"svc/replication/stream/streamtest"
	"svc/shared/testrand"
)

// hangings is how often a core is stopped in the middle.
var hangings = localtest.Size(4, 8)

// TestTwoCoresRelayOneLog: two cores send the changes of one project at the same time, one of them held to the records of
// an older build. Now one, now the other hangs in the middle of it for a while and goes on with what it remembers; the other
// goes on without it meanwhile. A project is pinned through both, which takes newer records, and only the newer core sends
// those. The stream has every change once and in order, all in one epoch, each in the version that it takes, and nothing is
// lost, doubled or mixed on any node.
func TestTwoCoresRelayOneLog(t *testing.T) {
	random := testrand.New(t)
	b := newPrivateBed(t, local.Config{
		Cores:           2,
		Environment:     map[local.Kind][]string{local.Core: {"SVC_NATS_KEEP_PER_LOG=0"}},
		PartEnvironment: map[string][]string{"core-2": {"SVC_RECORD_VERSION=1"}},
	}, posts, memos)
	cores := b.stack.Cores()
	w := startWriters(b, random, "core", "core-2", "edge-1", "edge-2")
	pins := 0
	for i := range hangings {
		hanging := cores[i%2]
		awake := client.New(b.stack.URL(cores[(i+1)%2]), b.account.Token, nil)
		b.check(node.Pause(t.Context(), time.Duration(random.IntN(300))*time.Millisecond))
		b.check(b.stack.Pause(hanging))
		if i%4 < 2 { // with both of them awake and hanging
			pins++
			b.pinned(awake, uint64(1+random.IntN(w.released())))
		}
		w.await(1 + random.IntN(10))
		if hanging == "core-2" && i%4 >= 2 { // the other one may send everything
			b.await(uint64(w.released()), "posts", b.core, b.edge1, b.edge2)
		}
		b.check(node.Pause(t.Context(), time.Duration(random.IntN(1000))*time.Millisecond))
		b.check(b.stack.Resume(hanging))
	}
	b.holds(w.finish(), b.node("core"), b.node("core-2"), b.edge1, b.edge2)
	newer := b.unbroken(b.level(string(b.project.ID), b.edges()...))
	if newer != pins {
		t.Errorf("%d records of the newer version, and the project was pinned %d times", newer, pins)
	}
	for _, core := range cores {
		if sent := b.metric(core, "svc_relay_changes_total"); sent == 0 {
			t.Errorf("%s sent nothing", core)
		}
	}
}

// pinned pins the project to a release through one core, and unpins it again.
func (b *bed) pinned(api *client.Client, release uint64) {
	b.t.Helper()
	b.insist(func() error {
		_, _, err := api.PinRelease(b.t.Context(), b.project.Slug, release, "a test", 0)
		return err
	})
	b.insist(func() error {
		_, err := api.Unpin(b.t.Context(), b.project.Slug, 0)
		return err
	})
}

// unbroken reads the project's log off the stream from its first change on: it is unbroken, of one epoch, and leads to a
// position. It returns how many of its records are of the newer version.
func (b *bed) unbroken(to record.Position) (newer int) {
	b.t.Helper()
	var at record.Position
	for _, m := range b.messages(string(b.project.ID)) {
		c, _, err := record.Decode(m.Envelope)
		b.check(err)
		if !c.Follows(at) || c.Position.Epoch != 1 {
			b.t.Fatalf("message %d is %s and follows %s", m.Seq, c.Position, at)
		}
		at = c.Position
		var envelope recordpb.Envelope
		b.check(proto.Unmarshal(m.Envelope, &envelope))
		if got, takes := record.Version(envelope.Version), record.VersionFor(c.Body); got != takes {
			b.t.Errorf("change %d is written in version %d and takes %d", at.Seq, got, takes)
		}
		if envelope.Version > uint32(record.Oldest) {
			newer++
		}
	}
	if at != to {
		b.t.Errorf("the stream ends at %s, the log at %s", at, to)
	}
	return newer
}

// stream connects to the stream, as one who only looks.
func (b *bed) stream() *stream.Conn {
	b.t.Helper()
	conn, err := stream.Connect(stream.Config{URL: b.stack.ServiceURL(local.NATS), Name: b.t.Name()}, slog.New(slog.DiscardHandler))
	b.check(err)
	return conn
}

// messages are all that the stream has of a log.
func (b *bed) messages(log string) []stream.Message {
	b.t.Helper()
	conn := b.stream()
	defer conn.Close()
	b.until(func(ctx context.Context) error {
		_, _, err := conn.Last(ctx, log)
		return err
	})
	return streamtest.Messages(b.t, conn, log)
}
