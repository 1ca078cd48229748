package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/replication/record"
	"svc/replication/stream"
)

// TestALostStreamIsMadeUpForByCore: the stream is purged, cut down to its newest messages, deleted, made again, or comes
// back as it was some time ago, while one edge is away and the other cannot reach it. Whether releases follow or all
// projects are quiet, and also where so many follow that the stream's numbers pass those that an edge has seen, both edges
// come to hold what core holds. They get it from the stream and from core and load no snapshot for it. The stream ends
// at the head of each log again, no epoch begins, and no release is lost.
func TestALostStreamIsMadeUpForByCore(t *testing.T) {
	b := newPrivateBed(t, local.Config{Links: true}, posts)
	heads := map[string]record.Position{}
	for _, way := range []struct {
		name  string
		lose  func(*streamLoss)
		after []int // releases behind it
	}{
		{"purged", (*streamLoss).purge, []int{0, 3}},
		{"cut down to its newest messages", (*streamLoss).trim, []int{3, 0}},
		{"deleted", (*streamLoss).delete, []int{0, 3}},
		{"deleted and made again", (*streamLoss).renew, []int{3, 0}},
		{"as it was before", (*streamLoss).setBack, []int{20, 0, 3}},
	} {
		for _, after := range way.after[:min(localtest.Size(1, 3), len(way.after))] {
			t.Run(fmt.Sprintf("%s, then %d releases", way.name, after), func(t *testing.T) {
				l := newStreamLoss(b.on(t))
				l.publish(2)
				l.apart()
				l.publish(2)
				way.lose(l)
				for range after {
					l.busy.write(l.entry(l.busy), map[string]string{"body": fmt.Sprint("after the loss ", after)})
				}
				l.together()
				l.converged(heads)
			})
		}
	}
	b.streamEndsAt(heads)
}

// streamEndsAt waits until the stream has logs up to these positions.
func (b *bed) streamEndsAt(heads map[string]record.Position) {
	b.t.Helper()
	conn := b.stream()
	defer conn.Close()
	b.until(func(ctx context.Context) error {
		for log, want := range heads {
			at, err := streamEnd(ctx, conn, log)
			if err != nil {
				return err
			}
			if at != want {
				return fmt.Errorf("the stream has log %s up to %s, not %s", log, at, want)
			}
		}
		return nil
	})
}

// streamLoss is two projects, of which one is quiet after the stream was lost.
type streamLoss struct {
	*bed
	busy, quiet *bed
	entries     map[*bed]string
	yesterday   local.Kept
	loads       float64 // snapshots that edge-1 had loaded
	back        time.Time
}

func newStreamLoss(b *bed) *streamLoss {
	b.t.Helper()
	l := &streamLoss{bed: b, busy: b.beside(posts), quiet: b.beside(posts), entries: map[*bed]string{}}
	for _, p := range l.projects() {
		set := p.set("Posts")
		l.entries[p] = p.create(set, "posts", postNumber(1))
		p.publish(set)
	}
	for _, p := range l.projects() {
		p.agree([]string{"posts"}, p.edges()...)
	}
	b.check(b.stack.StopPart("nats"))
	var err error
	l.yesterday, err = b.stack.KeepPart("nats")
	b.check(err)
	b.check(b.stack.StartPart(b.t.Context(), "nats"))
	return l
}

func (l *streamLoss) projects() []*bed { return []*bed{l.busy, l.quiet} }

func (l *streamLoss) entry(p *bed) string { return l.entries[p] }

// publish publishes so many releases in both projects.
func (l *streamLoss) publish(releases int) {
	l.t.Helper()
	for n := range releases {
		for _, p := range l.projects() {
			p.write(l.entry(p), map[string]string{"body": fmt.Sprintf("edit %d at %s", n, time.Now())})
		}
	}
}

// apart waits until both edges are level, and parts them from the stream.
func (l *streamLoss) apart() {
	l.t.Helper()
	for _, p := range l.projects() {
		l.level(string(p.project.ID), l.edges()...)
	}
	l.loads = l.metric("edge-1", `svc_follow_loads_total{result="loaded"}`)
	l.check(l.stack.StopPart("edge-2"))
	l.check(l.stack.Refuse("edge-1", "nats"))
}

func (l *streamLoss) together() {
	l.t.Helper()
	l.back = time.Now()
	l.check(l.stack.Mend("edge-1", "nats"))
	l.check(l.stack.StartPart(l.t.Context(), "edge-2"))
}

// converged waits until the edges are level with core, and notes where the logs end.
func (l *streamLoss) converged(heads map[string]record.Position) {
	l.t.Helper()
	for _, p := range l.projects() {
		at := l.level(string(p.project.ID), l.edges()...)
		if at.Epoch != 1 {
			l.t.Errorf("epoch %d began, though the database lost nothing", at.Epoch)
		}
		heads[string(p.project.ID)] = at
	}
	l.t.Logf("the edges were level after %s", time.Since(l.back).Round(10*time.Millisecond))
	for _, p := range l.projects() {
		p.agree([]string{"posts"}, p.edges()...)
	}
	for edge, before := range map[string]float64{"edge-1": l.loads, "edge-2": 0} {
		if loaded := l.metric(edge, `svc_follow_loads_total{result="loaded"}`) - before; loaded != 0 {
			l.t.Errorf("%s loaded %v snapshots", edge, loaded)
		}
	}
}

func (l *streamLoss) purge() {
	l.onStream(func(ctx context.Context, _ jetstream.JetStream, s jetstream.Stream) error { return s.Purge(ctx) })
}

// trim leaves the two newest messages: those of one log each.
func (l *streamLoss) trim() {
	l.onStream(func(ctx context.Context, _ jetstream.JetStream, s jetstream.Stream) error {
		return s.Purge(ctx, jetstream.WithPurgeKeep(2))
	})
}

func (l *streamLoss) delete() {
	l.onStream(func(ctx context.Context, js jetstream.JetStream, _ jetstream.Stream) error {
		return js.DeleteStream(ctx, stream.StreamName)
	})
}

func (l *streamLoss) renew() {
	l.onStream(func(ctx context.Context, js jetstream.JetStream, s jetstream.Stream) error {
		if err := js.DeleteStream(ctx, stream.StreamName); err != nil {
			return err
		}
		_, err := js.CreateOrUpdateStream(ctx, s.CachedInfo().Config)
		return err
	})
}

func (l *streamLoss) setBack() {
	l.t.Helper()
	l.check(l.stack.KillPart("nats"))
	l.check(l.stack.RestorePart("nats", l.yesterday))
	l.check(l.stack.StartPart(l.t.Context(), "nats"))
}

// onStream does to the stream what only an operator or a fault does.
func (b *bed) onStream(do func(context.Context, jetstream.JetStream, jetstream.Stream) error) {
	b.t.Helper()
	nc, err := nats.Connect(b.stack.ServiceURL(local.NATS))
	b.check(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	b.check(err)
	s, err := js.Stream(b.t.Context(), stream.StreamName)
	b.check(err)
	b.check(do(b.t.Context(), js, s))
}

// streamEnd is the position of the last message that the stream has of a log.
func streamEnd(ctx context.Context, conn *stream.Conn, log string) (record.Position, error) {
	m, found, err := conn.Last(ctx, log)
	if err != nil {
		return record.Position{}, err
	}
	if !found {
		return record.Position{}, fmt.Errorf("the stream has nothing of log %s", log)
	}
	c, _, err := record.Decode(m.Envelope)
	if err != nil {
		return record.Position{}, err
	}
	return c.Position, nil
}
