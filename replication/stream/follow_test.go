package stream

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"svc/deploy/local/localtest"
)

// follower gathers what Follow delivers.
type follower struct {
	attached chan Attachment
	messages chan Message
	done     chan error
}

func follow(t *testing.T, run func(ctx context.Context, h Handler) error) *follower {
	t.Helper()
	f := &follower{make(chan Attachment, 100), make(chan Message, 10000), make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		f.done <- run(ctx, Handler{
			Attached: func(_ context.Context, a Attachment) error { f.attached <- a; return nil },
			Message:  func(_ context.Context, m Message) error { f.messages <- m; return nil },
			Detached: func(err error) { t.Logf("detached: %v", err) },
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-f.done; !errors.Is(err, context.Canceled) {
			t.Errorf("follow ended with %v", err)
		}
	})
	return f
}

func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func (f *follower) expect(t *testing.T, want ...string) (last Message) {
	t.Helper()
	for _, text := range want {
		if last = next(t, f.messages); string(last.Envelope) != text {
			t.Fatalf("got %q, want %q", last.Envelope, text)
		}
	}
	return last
}

func all(from Place, c *Conn) func(context.Context, Handler) error {
	return func(ctx context.Context, h Handler) error { return c.Follow(ctx, from, h) }
}

func TestFollowDeliversInOrderFromAPlace(t *testing.T) {
	c := open(t, localtest.NATS(t))
	fill(t, c, "prj_a", 2)
	fill(t, c, "prj_b", 1)
	f := follow(t, all(Place{}, c))
	a := next(t, f.attached)
	if a.How != Fresh || a.Seq != 0 {
		t.Fatalf("%+v", a)
	}
	f.expect(t, "prj_a 1", "prj_a 2", "prj_b 1")
	fill(t, c, "prj_a", 1)
	f.expect(t, "prj_a 3")

	later := follow(t, all(Place{a.Stream, 2}, c))
	if a := next(t, later.attached); a.How != Resumed || a.Seq != 2 {
		t.Fatalf("%+v", a)
	}
	later.expect(t, "prj_b 1", "prj_a 3")
}

func TestFollowEndsWithTheHandler(t *testing.T) {
	c := open(t, localtest.NATS(t))
	fill(t, c, "prj_a", 3)
	wrong := errors.New("wrong")
	for _, tt := range []struct{ gives, want error }{{ErrStop, nil}, {wrong, wrong}} {
		count := 0
		err := c.Follow(t.Context(), Place{}, Handler{
			Attached: func(context.Context, Attachment) error { return nil },
			Message: func(context.Context, Message) error {
				if count++; count == 2 {
					return tt.gives
				}
				return nil
			},
		})
		if !errors.Is(err, tt.want) || count != 2 {
			t.Errorf("%v after %d messages", err, count)
		}
	}
}

func TestFollowGoesOnAfterARestart(t *testing.T) {
	server := localtest.StartNATS(t)
	c := open(t, server.URL)
	fill(t, c, "prj_a", 2)
	f := follow(t, all(Place{}, c))
	f.expect(t, "prj_a 1", "prj_a 2")
	next(t, f.attached)
	for i := range 3 {
		server.Kill(t)
		server.Start(t)
		until(t, "connected", c.Connected)
		until(t, "the stream is back", func() bool { _, _, err := c.Last(t.Context(), "prj_a"); return err == nil })
		fill(t, c, "prj_a", 1)
		f.expect(t, fmt.Sprintf("prj_a %d", 3+i))
		a := next(t, f.attached)
		for a.How == Resumed && a.Seq < uint64(2+i) { // it may have taken more than one try before
			a = next(t, f.attached)
		}
		if a.How != Resumed || a.Seq != uint64(2+i) {
			t.Fatalf("%+v", a)
		}
	}
}

func TestFollowTellsOfARecreatedStream(t *testing.T) {
	c := open(t, localtest.NATS(t))
	fill(t, c, "prj_a", 5)
	f := follow(t, all(Place{}, c))
	for range 5 {
		next(t, f.messages)
	}
	before := next(t, f.attached)
	if err := c.js.DeleteStream(t.Context(), StreamName); err != nil {
		t.Fatal(err)
	}
	if err := c.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "prj_a", 1)
	after := next(t, f.attached)
	if after.How != Lost || after.Stream == before.Stream || after.Seq != 0 {
		t.Fatalf("%+v after %+v", after, before)
	}
	if m := f.expect(t, "prj_a 1"); m.Seq != 1 {
		t.Fatalf("%+v", m)
	}
}

func TestFollowPassesOverAPurge(t *testing.T) {
	c := open(t, localtest.NATS(t))
	fill(t, c, "prj_a", 5)
	f := follow(t, all(Place{}, c))
	for range 5 {
		next(t, f.messages)
	}
	if err := purge(c, ""); err != nil {
		t.Fatal(err)
	}
	last := fill(t, c, "prj_a", 1)
	if m := next(t, f.messages); m.Seq != last || last != 6 {
		t.Fatalf("%+v", m)
	}
	// Those who come late find the beginning gone.
	late := follow(t, all(Place{next(t, f.attached).Stream, 2}, c))
	if a := next(t, late.attached); a.How != Lost || a.Seq != 5 {
		t.Fatalf("%+v", a)
	}
}

func TestWhereToBegin(t *testing.T) {
	created := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	const this, other = "SVC_LOG@2026-03-04T05:06:07.000000008Z", "SVC_LOG@2025-03-04T05:06:07Z"
	for _, tt := range []struct {
		name        string
		first, last uint64
		from        Place
		how         Resumption
		seq         uint64
	}{
		{"nothing known, empty stream", 0, 0, Place{}, Fresh, 0},
		{"nothing known", 5, 9, Place{}, Fresh, 4},
		{"nothing known, long", 5, 5000, Place{}, Fresh, 4000},
		{"another stream", 1, 9, Place{other, 7}, Lost, 0},
		{"level", 1, 9, Place{this, 9}, Resumed, 9},
		{"behind", 1, 9, Place{this, 3}, Resumed, 3},
		{"just not trimmed", 5, 9, Place{this, 4}, Resumed, 4},
		{"trimmed", 5, 9, Place{this, 3}, Lost, 4},
		{"all trimmed", 10, 9, Place{this, 3}, Lost, 9},
		{"all trimmed behind a level one", 10, 9, Place{this, 9}, Resumed, 9},
		{"set back", 1, 9, Place{this, 12}, Lost, 0},
		{"set back, long", 1, 5000, Place{this, 6000}, Lost, 4000},
		{"set back, trimmed", 4900, 5000, Place{this, 6000}, Lost, 4899},
		{"set back to nothing", 0, 0, Place{this, 12}, Lost, 0},
	} {
		info := &jetstream.StreamInfo{Created: created}
		info.Config.Name = StreamName
		info.State.FirstSeq, info.State.LastSeq = tt.first, tt.last
		if a := begin(info, tt.from); a.How != tt.how || a.Seq != tt.seq || a.Stream != this {
			t.Errorf("%s: %+v", tt.name, a)
		}
	}
}
