package follow_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/telemetry"
)

func TestAnEmptyStoreCatchesUpAndKeepsUp(t *testing.T) {
	r := newRig(t)
	organization, project := r.organization(), r.project()
	r.publish(project, 5)
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	f.level(organization, project)
	r.lose(organization)
	r.lose(project)
	for range 20 {
		r.publish(project, 1)
		r.relay(project)
	}
	f.level(project)
	other := r.project() // made while the follower runs
	r.relay(other)
	f.level(other)
	if gaps, _ := r.answers.Asked(); gaps[project] != 1 || gaps[other] != 0 {
		t.Errorf("core was asked for changes %v times", gaps)
	}
}

func TestWhatTheStreamLostIsTakenFromCore(t *testing.T) {
	r := newRig(t)
	project := r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.lose(project)
	r.publish(project, 3)
	r.lose(project)
	r.publish(project, 2)
	r.relay(project)
	f.level(project)
	if f.loads(project) != 0 {
		t.Error("a snapshot was loaded")
	}
}

func TestRepetitionsAndStrayMessagesChangeNothing(t *testing.T) {
	r := newRig(t)
	project, other := r.project(), r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.lose(project)
	r.lose(other)
	r.publish(project, 4)
	changes := r.core.Changes(project)
	stray := followtest.NextChange(project, record.Position{Epoch: 1, Seq: 90, Chain: record.Hash{1}}, rank("stray"))
	foreign := r.core.Changes(other)[1]
	foreignEnvelope, err := record.Inline(foreign)
	if err != nil {
		t.Fatal(err)
	}
	send := func(cs ...*record.Change) {
		t.Helper()
		if err := followtest.Send(t.Context(), r.conn, r.blobs, cs...); err != nil {
			t.Fatal(err)
		}
	}
	raw := func(envelope string) {
		t.Helper()
		if err := followtest.SendRaw(t.Context(), r.conn, project, record.Position{}, []byte(envelope)); err != nil {
			t.Fatal(err)
		}
	}
	send(changes[2], changes[2], changes[3])
	raw("no envelope")
	raw("")
	raw(string(foreignEnvelope))
	send(changes[0], changes[1], stray, changes[4])
	send(changes[2:]...)
	f.level(project)
	r.publish(project, 1)
	r.relay(project)
	f.level(project)
	if applied, _ := f.store.Applied(); applied != len(r.core.Changes(project))+len(r.core.Changes(other)) {
		t.Errorf("%d changes were applied, there are %d", applied, len(r.core.Changes(project)))
	}
}

func TestALostTailOfAQuietLogShowsInHeartbeats(t *testing.T) {
	r := newRig(t)
	project := r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.publish(project, 2)
	r.lose(project)
	r.until("the lost tail is applied", func() bool {
		r.beat(time.Now()) // again and again, as core does: one may come before anybody listens
		applied, _ := f.store.Applied()
		return applied == len(r.core.Changes(project))
	})
	f.level(project)
}

// ofANewerBuild is a record in a version that this build does not know.
func ofANewerBuild(t *testing.T, envelope []byte) []byte {
	var e recordpb.Envelope
	if err := proto.Unmarshal(envelope, &e); err != nil {
		t.Error(err)
	}
	e.Version += 1000
	altered, err := proto.Marshal(&e)
	if err != nil {
		t.Error(err)
	}
	return altered
}

func TestAChangeThatCannotBeReadStopsItsOwnLog(t *testing.T) {
	r := newRig(t)
	poisoned, other := r.project(), r.project()
	var newer atomic.Bool
	newer.Store(true)
	r.answers.Alter = func(c *record.Change, envelope []byte) []byte {
		if c.Log == poisoned && c.Position.Seq == 4 && newer.Load() {
			return ofANewerBuild(t, envelope)
		}
		return envelope
	}
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	for _, log := range []string{poisoned, other} {
		r.lose(log)
		r.publish(log, 3)
	}
	for i, c := range r.core.Changes(poisoned)[2:] {
		envelope, err := record.Inline(c)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			envelope = ofANewerBuild(t, envelope)
		}
		if err := followtest.SendRaw(t.Context(), r.conn, poisoned, c.Position, envelope); err != nil {
			t.Fatal(err)
		}
	}
	r.relay(other)
	f.level(other)
	r.until("the poisoned log is stopped", func() bool {
		s, _ := f.Log(poisoned)
		return s.Trouble != nil && s.Trouble.Stopped
	})
	if s, _ := f.Log(poisoned); s.Position.Seq != 3 {
		t.Errorf("it is stopped at %s: %s", s.Position, s.Trouble.Reason)
	}
	f.alarmed(telemetry.UnknownRecord, poisoned)
	if ok, reasons := f.Ready(); !ok {
		t.Errorf("the follower is not ready: %v", reasons)
	}
	for range 5 {
		r.publish(other, 1)
		r.relay(other)
		f.level(other)
	}
	newer.Store(false) // as if this build knew the version
	f.level(poisoned)
	r.until("the trouble is over", func() bool { s, _ := f.Log(poisoned); return s.Trouble == nil })
	f.alarmed("", "")
}

func TestAStoreThatFailsOrPanicsOverAChangeStopsItsOwnLog(t *testing.T) {
	r := newRig(t)
	project, other := r.project(), r.project()
	var broken atomic.Int32
	store := &followtest.Store{Refuse: func(c *record.Change) error {
		if c.Log == project && c.Position.Seq > 2 {
			switch broken.Load() {
			case 1:
				return errors.New("no space left on the device")
			case 2:
				panic("index out of range")
			}
		}
		return nil
	}}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.lose(other)
	for mode := range int32(2) {
		broken.Store(mode + 1)
		r.publish(project, 3)
		r.publish(other, 1)
		r.relay(project)
		r.relay(other)
		f.level(other)
		r.until("the log is stopped", func() bool {
			s, _ := f.Log(project)
			return s.Trouble != nil && s.Trouble.Stopped
		})
		f.alarmed(telemetry.ApplyFailing, project)
		broken.Store(0)
		f.level(project)
		f.alarmed("", "")
	}
}

func TestALogThatOverflowsTakesTheRestFromCore(t *testing.T) {
	r := newRig(t)
	busy, other := r.project(), r.project()
	let := make(chan struct{})
	store := &followtest.Store{}
	tuning := quick()
	tuning.QueueMessages = 4
	f := r.follow(store, tuning)
	f.ready()
	r.lose(busy)
	r.lose(other)
	var held atomic.Bool
	store.Refuse = func(c *record.Change) error {
		if c.Log == busy {
			held.Store(true)
			<-let
		}
		return nil
	}
	r.publish(busy, 40)
	r.relay(busy)
	r.until("the busy log is being applied", held.Load)
	for range 10 {
		r.publish(other, 1)
		r.relay(other)
		f.level(other)
	}
	close(let)
	f.level(busy)
	r.publish(busy, 3)
	r.relay(busy)
	f.level(busy)
	if n := f.figure("svc_follow_overflows_total", ""); n == 0 {
		t.Error("nothing overflowed")
	}
}

func TestALargeChangeIsFetchedOrTakenFromCore(t *testing.T) {
	r := newRig(t)
	project := r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.lose(project)
	large := func(number uint64) *record.Change {
		return r.core.Append(project, followtest.Release(number, followtest.Put(followtest.Entry(), "", `"`+randomText(700_000)+`"`)))
	}
	large(1)
	r.relay(project)
	f.level(project)
	gaps, _ := r.answers.Asked()
	gone := large(2)
	r.relay(project)
	removeBlobs(t, r, gone)
	f.level(project)
	large(3)
	r.relay(project)
	f.level(project)
	_ = gaps
}

func TestAStartWithoutCoreTakesWhatTheStreamHas(t *testing.T) {
	r := newRig(t)
	project := r.project()
	store := &followtest.Store{}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.publish(project, 10)
	r.relay(project)
	f.level(project)
	f.stop()
	r.publish(project, 5)
	r.relay(project)
	r.answers.SetUnavailable(true)
	tuning := quick()
	tuning.Patience = 50 * time.Millisecond
	f = r.follow(store, tuning)
	f.ready() // with what it holds
	f.level(project)
	if n, _ := store.Applied(); n != len(r.core.Changes(project)) {
		t.Errorf("%d changes were applied instead of %d", n, len(r.core.Changes(project)))
	}
}

func TestAnEmptyStoreIsNotReadyBeforeCoreWasReached(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.answers.SetUnavailable(true)
	tuning := quick()
	tuning.Patience = 20 * time.Millisecond
	f := r.follow(&followtest.Store{}, tuning)
	r.until("the start is over", func() bool {
		_, reasons := f.Ready()
		return len(reasons) == 1 && strings.Contains(reasons[0], "core has not been reached")
	})
	r.relay(project) // the stream has it all
	f.level(project)
	if ok, _ := f.Ready(); ok {
		t.Error("it cannot know that there is nothing else")
	}
	r.answers.SetUnavailable(false)
	f.ready()
}

func TestUnwantedLogsAreDroppedAndNotFollowed(t *testing.T) {
	r := newRig(t)
	wanted, unwanted := r.project(), r.project()
	store := &followtest.Store{}
	f := r.follow(store, quick())
	f.level(wanted, unwanted)
	f.stop()
	conn := r.connect("edge")
	f2 := follow.New(follow.Config{
		Edge: "edge-1", Applier: store, Stream: conn, Core: r.answers, Blobs: r.blobs, Tuning: quick(),
		Wants: func(log string) bool { return log != unwanted },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f2.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	r.until("it is ready", func() bool { ok, _ := f2.Ready(); return ok })
	r.lose(wanted)
	r.lose(unwanted)
	for range 3 {
		r.publish(unwanted, 1)
		r.relay(unwanted)
		r.publish(wanted, 1)
		r.relay(wanted)
	}
	(&running{Follower: f2, r: r, store: store}).level(wanted)
	if store.State(unwanted) != nil {
		t.Error("an unwanted log is held")
	}
}

func TestWaitingForAChange(t *testing.T) {
	r := newRig(t)
	project := r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.lose(project)
	there := func() bool { return f.store.At(project).Seq >= 4 }
	waited := make(chan error, 1)
	go func() { waited <- f.Await(t.Context(), project, there) }()
	r.publish(project, 2)
	r.relay(project)
	if err := <-waited; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Await(ctx, string(content.NewID[content.ProjectID]()), func() bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func TestWaitingSinceBeforeTheStart(t *testing.T) {
	r := newRig(t)
	project := r.project()
	first := r.follow(&followtest.Store{}, quick())
	first.level(project)
	first.stop()
	f := follow.New(follow.Config{
		Edge: "edge-1", Applier: first.store, Stream: r.connect("edge"), Core: r.answers, Blobs: r.blobs, Logger: r.logger(), Tuning: quick(),
	})
	held := f.Changed(project)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	select {
	case <-held:
	case err := <-ended:
		t.Fatal(err)
	case <-time.After(patience):
		t.Error("no one was told what the store holds")
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
