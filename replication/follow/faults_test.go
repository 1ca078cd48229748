package follow_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/testrand"
)

// randomText does not compress.
func randomText(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rng.IntN(len(letters))]
	}
	return string(b)
}

func removeBlobs(t *testing.T, r *rig, c *record.Change) {
	t.Helper()
	e, err := record.Encode(c, record.InlineLimit)
	if err != nil || e.Blob == nil {
		t.Fatalf("change %s is not large: %v", c.Position, err)
	}
	if err := r.blobs.Delete(t.Context(), e.BlobKey); err != nil {
		t.Fatal(err)
	}
}

func TestAStreamThatWasPurgedOrRecreatedIsMadeGoodByCore(t *testing.T) {
	for name, harm := range map[string]func(*rig){
		"purged": func(r *rig) {
			s, err := r.jetstream().Stream(r.t.Context(), stream.StreamName)
			if err == nil {
				err = s.Purge(r.t.Context())
			}
			if err != nil {
				r.t.Fatal(err)
			}
		},
		"deleted and recreated": func(r *rig) {
			if err := r.jetstream().DeleteStream(r.t.Context(), stream.StreamName); err != nil {
				r.t.Fatal(err)
			}
			r.ensure()
		},
		"killed": func(r *rig) {
			r.nats.Kill(r.t)
			r.nats.Start(r.t)
			r.until("core is connected", r.conn.Connected)
			r.ensure() // the stream is there later than the connection
		},
	} {
		for _, after := range []int{0, 3} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t)
				project := r.project()
				f := r.follow(&followtest.Store{}, quick())
				f.ready()
				r.lose(project)
				r.publish(project, 5)
				r.relay(project)
				f.level(project)
				r.publish(project, 3)
				r.lose(project)
				harm(r)
				if after > 0 {
					r.publish(project, after)
					r.until("it can be sent", func() bool {
						changes := r.core.Changes(project)
						return followtest.Send(t.Context(), r.conn, r.blobs, changes[len(changes)-after:]...) == nil
					})
				} else {
					r.until("a heartbeat got through", func() bool { r.beat(time.Now()); return f.store.At(project) == r.core.Head(project) })
				}
				f.level(project)
				r.lose(project)
				r.publish(project, 2)
				r.relay(project)
				f.level(project)
				if f.loads(project) != 0 {
					t.Error("a snapshot was loaded although core has the changes")
				}
			})
		}
	}
}

func TestAHigherEpoch(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.publish(project, 10)
	ahead, behind, level := &followtest.Store{}, &followtest.Store{}, &followtest.Store{}
	for store, upTo := range map[*followtest.Store]int{ahead: 12, behind: 6, level: 8} {
		for _, c := range r.core.Changes(project)[:upTo] {
			if err := store.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.core.GoBack(project, 8)
	fs := []*running{r.follow(ahead, quick())}
	fs[0].ready()
	fs[0].level(project) // core noticed by the question of the edge that is ahead
	if head := r.core.Head(project); head.Epoch != 2 || head.Seq != 8 {
		t.Fatalf("the log is at %s", head)
	}
	fs = append(fs, r.follow(behind, quick()), r.follow(level, quick()))
	r.lose(project)
	r.publish(project, 4)
	r.relay(project)
	for i, f := range fs {
		f.level(project)
		if want := map[int]int{0: 1}[i]; f.loads(project) != want {
			t.Errorf("edge %d loaded %d snapshots instead of %d", i, f.loads(project), want)
		}
	}
}

func TestAnEdgeThatIsAheadForLongHasCoreLookAtItself(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.publish(project, 5)
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	f.level(project)
	r.core.GoBack(project, 4) // and no one publishes
	start := time.Now()
	r.until("a new epoch began", func() bool { r.beat(start.Add(time.Since(start))); return r.core.Head(project).Epoch == 2 })
	f.level(project)
	if f.loads(project) != 1 {
		t.Errorf("%d snapshots were loaded", f.loads(project))
	}
}

func TestFarBehindASnapshotIsLoadedOnce(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.publish(project, 30)
	store := &followtest.Store{}
	for _, c := range r.core.Changes(project)[:3] {
		if err := store.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	tuning := quick()
	tuning.FarBehind = 20
	f := r.follow(store, tuning)
	f.ready()
	f.level(project)
	if f.loads(project) != 1 {
		t.Errorf("%d snapshots were loaded", f.loads(project))
	}
	if gaps, _ := r.answers.Asked(); gaps[project] != 0 {
		t.Errorf("core was asked for changes %d times", gaps[project])
	}
}

func TestAnEmptyStoreTakesAStoredSnapshotAndTheChangesSince(t *testing.T) {
	r := newRig(t)
	project, organization := r.project(), r.organization()
	r.publish(project, 30)
	w := &snapshot.Writer{Source: r.core, Blobs: r.blobs, SegmentBytes: 2000}
	for _, log := range []string{project, organization} {
		if _, err := w.Write(t.Context(), log); err != nil {
			t.Fatal(err)
		}
	}
	r.publish(project, 4)
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	f.level(project, organization)
	if applied, _ := f.store.Applied(); applied != 4 || f.loads(project) != 1 || f.loads(organization) != 1 {
		t.Errorf("%d changes were applied, %d snapshots loaded", applied, f.loads(project))
	}
}

func TestADamagedSnapshotGivesWayToChanges(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.publish(project, 30)
	w := &snapshot.Writer{Source: r.core, Blobs: r.blobs, SegmentBytes: 2000}
	if _, err := w.Write(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	var segment string
	err := r.blobs.List(t.Context(), "snapshots/"+project+"/segments/", func(o blob.Info) error { segment = o.Key; return nil })
	if err != nil || segment == "" {
		t.Fatalf("segment %q, %v", segment, err)
	}
	if err := r.blobs.Put(t.Context(), segment, strings.NewReader("half"), 4, blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	f.level(project)
	if f.loads(project) != 0 {
		t.Error("a damaged snapshot was loaded")
	}
}

func TestWhereCoreForgotOnlyASnapshotHelps(t *testing.T) {
	r := newRig(t)
	project := r.project()
	r.publish(project, 20)
	store := &followtest.Store{}
	for _, c := range r.core.Changes(project)[:5] {
		if err := store.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.core.Prune(t.Context(), project, 15, 0); err != nil {
		t.Fatal(err)
	}
	f := r.follow(store, quick())
	f.ready()
	f.level(project)
	if f.loads(project) != 1 {
		t.Errorf("%d snapshots were loaded", f.loads(project))
	}
}

// TestADamagedSnapshotIsMendedForWhoNeedsIt: where core has no changes any more, a new edge has nothing but the snapshot. It
// comes up although a segment is damaged and the log does not move.
func TestADamagedSnapshotIsMendedForWhoNeedsIt(t *testing.T) {
	for _, name := range []string{"other bytes", "gone", "with all else"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			project := r.project()
			r.publish(project, 30)
			w := &snapshot.Writer{Source: r.core, Blobs: r.blobs, SegmentBytes: 2000}
			if _, err := w.Write(t.Context(), project); err != nil {
				t.Fatal(err)
			}
			m, err := snapshot.Latest(t.Context(), r.blobs, project)
			if err != nil || len(m.Segments) == 0 {
				t.Fatalf("%v, %v", m, err)
			}
			segment := m.Segments[0]
			switch name {
			case "other bytes":
				err = r.blobs.Put(t.Context(), segment.Key, bytes.NewReader(make([]byte, segment.Size)), int64(segment.Size), blob.PutOptions{})
			case "gone":
				err = r.blobs.Delete(t.Context(), segment.Key)
			default:
				err = r.blobs.List(t.Context(), "snapshots/", func(o blob.Info) error { return r.blobs.Delete(t.Context(), o.Key) })
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.core.Prune(t.Context(), project, m.Seq, 0); err != nil {
				t.Fatal(err)
			}
			f := r.follow(&followtest.Store{}, quick())
			f.ready()
			f.level(project)
			if f.loads(project) != 1 {
				t.Errorf("%d snapshots were loaded", f.loads(project))
			}
		})
	}
}

// An edge is put through everything at once: messages lost, repeated, damaged; the stream purged; core away and back
// again, restored from a backup; the edge restarted. When quiet returns, it holds what core holds.
func TestWhateverHappensTheEdgeEndsLevel(t *testing.T) {
	rnd := testrand.New(t)
	r := newRig(t)
	js := r.jetstream()
	logs := []string{r.project(), r.project(), r.project(), r.organization()}
	store := &followtest.Store{}
	tuning := quick()
	tuning.QueueMessages, tuning.FarBehind, tuning.Patience = 3, 15, 200*time.Millisecond
	f := r.follow(store, tuning)
	ctx := context.WithoutCancel(t.Context())
	send := func(log string, c *record.Change) {
		if err := followtest.Send(ctx, r.conn, r.blobs, c); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 * testrand.Scale {
		log := logs[rnd.IntN(len(logs))]
		changes := r.core.Changes(log)
		switch n := rnd.IntN(100); {
		case n < 55:
			r.core.Append(log, rank("r"))
			changes = r.core.Changes(log)
			if rnd.IntN(5) > 0 {
				send(log, changes[len(changes)-1])
			}
		case n < 70:
			send(log, changes[rnd.IntN(len(changes))])
		case n < 75:
			if err := followtest.SendRaw(ctx, r.conn, log, record.Position{}, []byte(randomText(30))); err != nil {
				t.Fatal(err)
			}
		case n < 85:
			r.beat(time.Now())
		case n < 88:
			r.answers.SetUnavailable(rnd.IntN(2) == 0)
		case n < 90:
			s, err := js.Stream(ctx, stream.StreamName)
			if err == nil {
				err = s.Purge(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
		case n < 92 && len(changes) > 5:
			r.core.GoBack(log, uint64(len(changes)-1-rnd.IntN(4)))
			if rnd.IntN(2) == 0 {
				r.core.NewEpoch(log)
			}
		case n < 94:
			w := &snapshot.Writer{Source: r.core, Blobs: r.blobs, SegmentBytes: 500}
			if _, err := w.Write(ctx, log); err != nil && !strings.Contains(err.Error(), snapshot.ErrNotNewer.Error()) {
				t.Fatal(err)
			}
		case n < 96:
			f.stop()
			f = r.follow(store, tuning)
		}
	}
	r.answers.SetUnavailable(false)
	for _, log := range logs {
		r.core.Append(log, rank("last"))
		r.until("log "+log+" is level", func() bool {
			r.beat(time.Now())
			return f.Position(log) == r.core.Head(log) && store.At(log).Chain == r.core.Head(log).Chain
		})
		if got, want := store.State(log).Sum(), r.core.Sum(log); got != want {
			t.Errorf("state of %s: %s, core has %s", log, got, want)
		}
	}
}
