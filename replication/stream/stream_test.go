package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/deploy/local/localtest"
	"svc/replication/record"
)

func connect(t *testing.T, url string) *Conn {
	t.Helper()
	c, err := Connect(Config{URL: url, Name: t.Name(), ReportTTL: time.Second}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func open(t *testing.T, url string) *Conn {
	t.Helper()
	c := connect(t, url)
	until(t, "connected", c.Connected)
	if err := c.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func at(seq uint64) record.Position {
	return record.Position{Epoch: 1, Seq: seq, Chain: record.Hash{byte(seq)}}
}

// fill appends n messages to a log behind its last one.
func fill(t *testing.T, c *Conn, log string, n int) (last uint64) {
	t.Helper()
	m, _, err := c.Last(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	last = m.Seq
	for i := range n {
		seq := m.Position.Seq + uint64(i) + 1
		if last, err = c.Append(t.Context(), log, at(seq), record.Stamp{}, fmt.Appendf(nil, "%s %d", log, seq), last); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func TestAppendIsConditionalOnTheLastMessage(t *testing.T) {
	c := open(t, localtest.NATS(t))
	ctx := t.Context()
	if m, found, err := c.Last(ctx, "prj_a"); found || err != nil {
		t.Fatalf("%v, %v", m, err)
	}
	first, err := c.Append(ctx, "prj_a", at(1), record.Stamp{}, []byte("one"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(ctx, "prj_b", at(1), record.Stamp{}, []byte("one"), 0); err != nil {
		t.Fatal(err)
	}
	for _, expected := range []uint64{0, first + 1, 99} {
		if _, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), expected); !errors.Is(err, ErrWrongSequence) {
			t.Errorf("after %d: %v", expected, err)
		}
	}
	second, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), first)
	if err != nil {
		t.Fatal(err)
	}
	m, found, err := c.Last(ctx, "prj_a")
	if err != nil || !found || m.Seq != second || string(m.Envelope) != "two" || !m.Stated || m.Position != at(2) || m.Log != "prj_a" {
		t.Fatalf("%+v, %v", m, err)
	}
	// A purge takes the condition back to none, and nothing is dropped as a duplicate.
	if err := purge(c, "prj_a"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), 0); err != nil {
		t.Fatal(err)
	}
	if m, _, err := c.Last(ctx, "prj_a"); err != nil || string(m.Envelope) != "two" {
		t.Fatalf("%+v, %v", m, err)
	}
}

func purge(c *Conn, log string) error {
	s, err := c.js.Stream(context.Background(), StreamName)
	if err != nil {
		return err
	}
	if log == "" {
		return s.Purge(context.Background())
	}
	return s.Purge(context.Background(), jetstream.WithPurgeSubject(logSubjects+log))
}

func TestLastsGivesTheHeadOfEveryLog(t *testing.T) {
	c := open(t, localtest.NATS(t))
	lasts := func() map[string]record.Position {
		got := map[string]record.Position{}
		if err := c.Lasts(t.Context(), func(m Message) error {
			if !m.Stated || len(m.Envelope) > 0 {
				t.Errorf("%+v", m)
			}
			got[m.Log] = m.Position
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := lasts(); len(got) != 0 {
		t.Fatal(got)
	}
	for i := range 1200 {
		fill(t, c, fmt.Sprintf("prj_%04d", i), 1+i%3)
	}
	got := lasts()
	for i := range 1200 {
		if p := got[fmt.Sprintf("prj_%04d", i)]; p != at(uint64(1+i%3)) {
			t.Fatalf("log %d stands at %s", i, p)
		}
	}
	if len(got) != 1200 {
		t.Fatal(len(got))
	}
}

func TestCallsFailClearlyWithoutServerOrStream(t *testing.T) {
	server := localtest.StartNATS(t)
	c := connect(t, server.URL)
	until(t, "connected", c.Connected)
	if _, _, err := c.Last(t.Context(), "prj_a"); !errors.Is(err, ErrNoStream) {
		t.Errorf("Last: %v", err)
	}
	if _, err := c.Append(t.Context(), "prj_a", at(1), record.Stamp{}, nil, 0); !errors.Is(err, ErrNoStream) {
		t.Errorf("Append: %v", err)
	}
	if err := c.Lasts(t.Context(), nil); !errors.Is(err, ErrNoStream) {
		t.Errorf("Lasts: %v", err)
	}
	server.Stop(t)
	until(t, "disconnected", func() bool { return !c.Connected() })
	if _, err := c.Append(t.Context(), "prj_a", at(1), record.Stamp{}, nil, 0); !errors.Is(err, ErrDisconnected) {
		t.Errorf("Append: %v", err)
	}
	if err := c.Beat(nil); !errors.Is(err, ErrDisconnected) {
		t.Errorf("Beat: %v", err)
	}
}

func TestConfigReportsEveryFaultAtOnce(t *testing.T) {
	_, err := Connect(Config{URL: "nowhere", Replicas: 2, KeepFor: -1, ReportTTL: 1}, slog.Default())
	for _, name := range []string{"SVC_NATS_URL", "SVC_NATS_REPLICAS", "SVC_NATS_KEEP_FOR", "SVC_NATS_REPORT_TTL"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in %v", name, err)
		}
	}
}

func TestHeartbeatsArriveAlsoAfterAReconnect(t *testing.T) {
	server := localtest.StartNATS(t)
	listener, sender := connect(t, server.URL), connect(t, server.URL)
	beats := make(chan string, 100)
	stop, err := listener.Beats(func(b []byte) { beats <- string(b) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	heard := func(text string) bool {
		if sender.Connected() {
			if err := sender.Beat([]byte(text)); err != nil {
				return false
			}
		}
		select {
		case b := <-beats:
			return b == text
		case <-time.After(20 * time.Millisecond):
			return false
		}
	}
	until(t, "a beat arrived", func() bool { return heard("one") })
	server.Kill(t)
	server.Start(t)
	until(t, "a beat arrived after the restart", func() bool { return heard("two") })
}

func TestReportsExpire(t *testing.T) {
	c := open(t, localtest.NATS(t))
	for _, report := range []string{"old", "new"} {
		if err := c.Report(t.Context(), "edge-1", []byte(report)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Report(t.Context(), "edge-2", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	got, err := c.Reports(t.Context())
	if err != nil || len(got) != 2 || string(got["edge-1"].Data) != "new" || got["edge-2"].Edge != "edge-2" || got["edge-2"].At.IsZero() {
		t.Fatalf("%v, %v", got, err)
	}
	until(t, "the reports expired", func() bool {
		got, err := c.Reports(t.Context())
		return err == nil && len(got) == 0
	})
}

func TestWatchTellsEveryChange(t *testing.T) {
	server := localtest.StartNATS(t)
	c := connect(t, server.URL)
	until(t, "connected", c.Connected)
	states := make(chan bool, 16)
	stop := c.Watch(func(up bool) { states <- up })
	expect := func(want bool) {
		t.Helper()
		select {
		case got := <-states:
			if got != want {
				t.Fatalf("told %v", got)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("not told %v", want)
		}
	}
	expect(true)
	server.Stop(t)
	expect(false)
	server.Start(t)
	expect(true)
	stop()
	c.Close()
	if len(states) > 0 {
		t.Fatal("told after stop")
	}
}

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
	case <-time.After(30 * time.Second):
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
	if a.How != Fresh || a.Seq != 0 || a.First != 1 || a.Last != 3 {
		t.Fatalf("%+v", a)
	}
	f.expect(t, "prj_a 1", "prj_a 2", "prj_b 1")
	fill(t, c, "prj_a", 1)
	f.expect(t, "prj_a 3")

	end, err := c.End(t.Context())
	if err != nil || end.Stream != a.Stream || end.Seq != 4 {
		t.Fatalf("%+v, %v", end, err)
	}
	later := follow(t, all(Place{a.Stream, 2}, c))
	if a := next(t, later.attached); a.How != Resumed || a.Seq != 2 {
		t.Fatalf("%+v", a)
	}
	later.expect(t, "prj_b 1", "prj_a 3")

	one := follow(t, func(ctx context.Context, h Handler) error { return c.FollowLog(ctx, "prj_a", Place{}, h) })
	one.expect(t, "prj_a 1", "prj_a 2", "prj_a 3")
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
		if a := next(t, f.attached); a.How != Resumed || a.Seq != uint64(2+i) {
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
	if after.How != Replaced || after.Stream == before.Stream || after.Seq != 0 {
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
	// Whoever comes late finds the beginning gone.
	late := follow(t, all(Place{next(t, f.attached).Stream, 2}, c))
	if a := next(t, late.attached); a.How != Trimmed || a.First != 6 || a.Seq != 5 {
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
		{"another stream", 1, 9, Place{other, 7}, Replaced, 0},
		{"level", 1, 9, Place{this, 9}, Resumed, 9},
		{"behind", 1, 9, Place{this, 3}, Resumed, 3},
		{"just not trimmed", 5, 9, Place{this, 4}, Resumed, 4},
		{"trimmed", 5, 9, Place{this, 3}, Trimmed, 4},
		{"all trimmed", 10, 9, Place{this, 3}, Trimmed, 9},
		{"all trimmed behind a level one", 10, 9, Place{this, 9}, Resumed, 9},
		{"set back", 1, 9, Place{this, 12}, SetBack, 0},
		{"set back, long", 1, 5000, Place{this, 6000}, SetBack, 4000},
		{"set back, trimmed", 4900, 5000, Place{this, 6000}, SetBack, 4899},
		{"set back to nothing", 0, 0, Place{this, 12}, SetBack, 0},
	} {
		info := &jetstream.StreamInfo{Created: created}
		info.Config.Name = StreamName
		info.State.FirstSeq, info.State.LastSeq = tt.first, tt.last
		if a := compare(info, tt.from); a.How != tt.how || a.Seq != tt.seq || a.Stream != this {
			t.Errorf("%s: %+v", tt.name, a)
		}
	}
}

func TestMessagesCarryNoID(t *testing.T) {
	url := localtest.NATS(t)
	c := open(t, url)
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync(logSubjects + "*")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "prj_a", 1)
	m, err := sub.NextMsg(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range m.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{jetstream.ExpectedLastSubjSeqHeader, jetstream.ExpectedStreamHeader, positionHeader}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Fatalf("headers %v, want %v", names, want)
	}
}

func TestALogIsReadBackwards(t *testing.T) {
	server := localtest.StartNATS(t)
	c := open(t, server.URL)
	fill(t, c, "prj_a", 700)
	fill(t, c, "prj_b", 3)
	last := fill(t, c, "prj_a", 2)
	read := func(log string, n int) (seqs []uint64) {
		t.Helper()
		err := c.Back(t.Context(), log, func(m Message) (bool, error) {
			if m.Log != log || string(m.Envelope) != fmt.Sprintf("%s %d", log, m.Position.Seq) {
				t.Fatalf("%+v", m)
			}
			seqs = append(seqs, m.Position.Seq)
			return len(seqs) < n, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return seqs
	}
	if got := read("prj_b", 9); !slices.Equal(got, []uint64{3, 2, 1}) {
		t.Errorf("all of it: %v", got)
	}
	if got := read("prj_a", 3); !slices.Equal(got, []uint64{702, 701, 700}) {
		t.Errorf("the newest: %v", got)
	}
	if got := read("prj_none", 3); len(got) != 0 {
		t.Errorf("nothing: %v", got)
	}
	s, err := c.js.Stream(t.Context(), StreamName)
	if err == nil {
		err = s.Purge(t.Context(), jetstream.WithPurgeSequence(last))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := read("prj_a", 9); !slices.Equal(got, []uint64{702}) {
		t.Errorf("what a purge left: %v", got)
	}
	broken := errors.New("enough")
	if err := c.Back(t.Context(), "prj_a", func(Message) (bool, error) { return true, broken }); !errors.Is(err, broken) {
		t.Errorf("the caller's error: %v", err)
	}
}
