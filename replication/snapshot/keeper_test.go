package snapshot_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// keep runs keepers on one core until the test ends.
func keep(t *testing.T, core *followtest.Core, store blob.Store, keepers int, cfg snapshot.KeeperConfig) *snapshot.Keeper {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { stop(); running.Wait() })
	var last *snapshot.Keeper
	for range keepers {
		k := snapshot.NewKeeper(&snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1500}, core, cfg)
		running.Go(func() {
			if err := k.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("a keeper ended with %v", err)
			}
		})
		last = k
	}
	return last
}

func TestKeepersWriteWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, project := filled(50)
		_, quiet := filled(1)
		core.Append(quiet, followtest.Project(quiet, "org_00000000000000000000000001", 1))
		keep(t, core, &blobtest.Memory{}, 3, snapshot.KeeperConfig{Policy: snapshot.Policy{Changes: 20}})
		synctest.Wait()
		refs, err := core.Recorded(t.Context(), project, 9)
		if err != nil || len(refs) != 1 || refs[0].Position != core.Head(project) {
			t.Fatalf("at the start: %v, %v", refs, err)
		}
		publish(core, project, 30)
		time.Sleep(time.Minute)
		if refs, err = core.Recorded(t.Context(), project, 9); err != nil || len(refs) != 2 || refs[0].Position != core.Head(project) {
			t.Fatalf("after more changes: %v, %v", refs, err)
		}
		if refs, err = core.Recorded(t.Context(), quiet, 9); err != nil || len(refs) != 0 {
			t.Fatalf("a quiet log: %v, %v", refs, err)
		}
	})
}

func TestARequestIsAnsweredWithASnapshotBeyondWhatTheAskerHas(t *testing.T) {
	core, project := filled(5)
	store := &blobtest.Memory{}
	k := keep(t, core, store, 1, snapshot.KeeperConfig{})
	first, err := k.Request(t.Context(), project, record.Position{})
	if err != nil || first.Position != core.Head(project) {
		t.Fatalf("%v, %v", first, err)
	}
	core.Append(project, followtest.Rank(followtest.Entry(), "a"))
	if again, err := k.Request(t.Context(), project, record.Position{}); err != nil || again.Position != first.Position {
		t.Errorf("the newest one would have done: %v, %v", again.Position, err)
	}
	next, err := k.Request(t.Context(), project, first.Position)
	if err != nil || next.Position != core.Head(project) {
		t.Errorf("%v, %v", next.Position, err)
	}
	if _, err := k.Request(t.Context(), project, next.Position); !fault.Is(err, fault.Conflict) {
		t.Errorf("beyond the head: %v", err)
	}
	if _, err := k.Request(t.Context(), "prj_none", record.Position{}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no such log: %v", err)
	}
	core.NewEpoch(project)
	if ref, err := k.Request(t.Context(), project, next.Position); err != nil || ref.Position.Epoch != 2 {
		t.Errorf("a new epoch: %v, %v", ref.Position, err)
	}
}

func TestChangesArePrunedBelowAWholeOldSnapshotOnly(t *testing.T) {
	core, project := filled(10)
	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir()}
	var refs []snapshot.Ref
	for i := range 4 {
		publish(core, project, 10)
		ref, err := w.Write(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
		if i == 1 {
			if n, err := snapshot.Prune(t.Context(), w, core, project, 5); n != 0 || err != nil {
				t.Fatalf("with two snapshots: %d, %v", n, err)
			}
		}
	}
	state := refs[1] // the third newest
	m, err := snapshot.Open(t.Context(), store, project, state.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	whole := read(t, store, m.Tail.Key)
	write(t, store, m.Tail.Key, []byte(whole[:len(whole)-1]))
	if n, err := snapshot.Prune(t.Context(), w, core, project, 5); n != 0 || err == nil {
		t.Fatalf("below a damaged snapshot: %d, %v", n, err)
	}
	write(t, store, m.Tail.Key, []byte(whole))
	if n, err := snapshot.Prune(t.Context(), w, core, project, core.Head(project).Seq+1); n != 0 || err != nil {
		t.Fatalf("within what is kept anyway: %d, %v", n, err)
	}
	// None of them counts any longer, so there have to be three new ones first.
	for i := range 3 {
		if n, err := snapshot.Prune(t.Context(), w, core, project, 5); n != 0 || err != nil {
			t.Fatalf("with %d snapshots: %d, %v", i, n, err)
		}
		publish(core, project, 10)
		ref, err := w.Write(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	if n, err := snapshot.Prune(t.Context(), w, core, project, 5); uint64(n) != refs[4].Position.Seq || err != nil {
		t.Fatalf("%d, %v; want %d", n, err, refs[4].Position.Seq)
	}
}

// fragile is an object store that refuses to be written to while it is broken.
type fragile struct {
	blob.Store
	broken atomic.Bool
}

func (f *fragile) Put(ctx context.Context, key string, body io.Reader, size int64, opts blob.PutOptions) error {
	if f.broken.Load() {
		return fault.New(fault.Unavailable, "the store is broken")
	}
	return f.Store.Put(ctx, key, body, size, opts)
}

// A snapshot that cannot be written twice in a row is an alarm, until it is written, by this core or by another.
func TestASnapshotThatCannotBeWrittenIsAnAlarm(t *testing.T) {
	for name, writes := range map[string]func(*fragile, *snapshot.Writer, string) error{
		"until it is written here": func(f *fragile, _ *snapshot.Writer, _ string) error { f.broken.Store(false); return nil },
		"until another core has written it": func(_ *fragile, elsewhere *snapshot.Writer, log string) error {
			_, err := elsewhere.Write(context.Background(), log)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, project := filled(50)
				store := &fragile{Store: &blobtest.Memory{}}
				store.broken.Store(true)
				figures := prometheus.NewRegistry()
				alarms := telemetry.NewAlarms(telemetry.CoreAlarms(), figures, slog.New(slog.DiscardHandler))
				k := keep(t, core, store, 1, snapshot.KeeperConfig{
					Policy: snapshot.Policy{Changes: 20}, Alarms: alarms, Metrics: snapshot.NewMetrics(figures),
				})
				synctest.Wait()
				if list := alarms.List(); len(list) != 0 {
					t.Errorf("after one failure: %v", list)
				}
				time.Sleep(5 * time.Minute)
				if list := alarms.List(); len(list) != 1 || list[0].Kind != telemetry.SnapshotFailing || list[0].Subject != project {
					t.Fatalf("after several failures: %v", list)
				}
				if _, err := k.Request(t.Context(), "prj_none", record.Position{}); !fault.Is(err, fault.NotFound) || len(alarms.List()) != 1 {
					t.Errorf("a log that does not exist: %v, %v", err, alarms.List())
				}
				if err := writes(store, &snapshot.Writer{Source: core, Blobs: store.Store, Dir: t.TempDir()}, project); err != nil {
					t.Fatal(err)
				}
				time.Sleep(15 * time.Minute)
				if list := alarms.List(); len(list) != 0 {
					t.Errorf("afterwards: %v", list)
				}
			})
		})
	}
}
