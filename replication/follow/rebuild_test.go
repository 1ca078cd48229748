package follow_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/shared/telemetry"
)

// A store that came to hold something else than core is loaded again while it serves, at a snapshot no older than what it
// holds, and is right afterwards.
func TestAStoreThatDivergedIsRebuilt(t *testing.T) {
	r := newRig(t)
	project, other := r.project(), r.project()
	store := &followtest.Store{}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.lose(other)
	r.publish(project, 5)
	r.relay(project)
	f.level(project, other)
	store.Corrupt(project)
	if store.State(project).Sum() == r.core.Sum(project) {
		t.Fatal("the store is as it was")
	}
	at := store.At(project)
	f.Rebuild(project)
	r.until("the log was loaded", func() bool { return len(f.Rebuilding()) == 0 })
	f.level(project)
	if f.loads(project) != 1 || f.loads(other) != 0 || store.At(project).Seq < at.Seq {
		t.Errorf("%d and %d loads, from %s to %s", f.loads(project), f.loads(other), at, store.At(project))
	}
	f.alarmed("", "")
	f.Rebuild()
	r.until("all logs were loaded", func() bool { return len(f.Rebuilding()) == 0 })
	f.level(project, other)
	if f.loads(project) != 2 || f.loads(other) != 1 {
		t.Errorf("%d and %d loads", f.loads(project), f.loads(other))
	}
}

// A store that makes something else of a snapshot than core has is an alarm of its log until it is loaded right.
func TestALoadThatComesOutOtherwiseIsAnAlarm(t *testing.T) {
	r := newRig(t)
	project, other := r.project(), r.project()
	var bad atomic.Bool
	bad.Store(true)
	store := &followtest.Store{Spoil: func(log string) bool { return log == project && bad.Load() }}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.publish(project, 3)
	r.relay(project)
	f.level(project, other)
	f.Rebuild()
	r.until("all is loaded", func() bool { return len(f.Rebuilding()) == 0 })
	f.alarmed(telemetry.StoreDiverged, project)
	if n := f.figure("svc_follow_diverged_total", ""); n != 1 {
		t.Errorf("%v stores differ", n)
	}
	bad.Store(false)
	f.Rebuild(project)
	f.alarmed("", "")
	f.level(project, other)
}

// While core writes no snapshots the log keeps up, and it is rebuilt once core does.
func TestARebuildWaitsForASnapshotAndTheLogKeepsUp(t *testing.T) {
	r := newRig(t)
	project := r.project()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	f.level(project)
	r.lose(project)
	r.answers.SetUnavailable(true)
	f.Rebuild()
	r.publish(project, 5)
	r.relay(project)
	f.level(project)
	if got := f.Rebuilding(); !slices.Equal(got, []string{project}) {
		t.Errorf("being rebuilt: %v", got)
	}
	r.answers.SetUnavailable(false)
	r.until("the log was loaded", func() bool { r.beat(time.Now()); return len(f.Rebuilding()) == 0 })
	f.level(project)
	if f.loads(project) != 1 {
		t.Errorf("%d loads", f.loads(project))
	}
}

// A log that is stopped at a change which the store does not take goes on behind a snapshot.
func TestARebuildMendsAStoppedLog(t *testing.T) {
	r := newRig(t)
	project := r.project()
	store := &followtest.Store{Refuse: func(c *record.Change) error {
		if c.Position.Seq == 4 {
			panic("no")
		}
		return nil
	}}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.publish(project, 4)
	r.relay(project)
	f.alarmed(telemetry.ApplyFailing, project)
	f.Rebuild(project)
	f.level(project)
	f.alarmed("", "")
}

// What core lost for good, since it was made after a backup, is served until the edge is rebuilt.
func TestARebuildLetsGoOfWhatCoreDoesNotKnow(t *testing.T) {
	r := newRig(t)
	project, kept := r.project(), r.project()
	store := &followtest.Store{}
	f := r.follow(store, quick())
	f.ready()
	f.level(project, kept)
	f.alarms.Set(telemetry.StoreDiverged, project, "found before")
	r.core.Lose(project)
	f.Rebuild()
	r.until("all is rebuilt", func() bool { return len(f.Rebuilding()) == 0 })
	f.level(kept)
	if at := store.At(project); at.Seq != 0 {
		t.Errorf("the store still holds the lost project, at %s", at)
	}
	r.beat(time.Now())
	f.alarmed("", "")
	if ok, reasons := f.Ready(); !ok {
		t.Error(reasons)
	}
}
