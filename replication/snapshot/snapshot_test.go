package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
	"svc/shared/content"
	"svc/shared/fault"
)

// filled returns a core with a project that has seen every kind of change, and the project's log.
func filled(releases int) (*followtest.Core, string) {
	core := followtest.NewCore()
	project, organization := string(content.NewID[content.ProjectID]()), string(content.NewID[content.OrganizationID]())
	core.Append(project, followtest.Project(project, organization, 1))
	core.Append(project, followtest.Schema("posts", 1, 1))
	publish(core, project, releases)
	core.Append(project, followtest.Project(project, organization, uint64(releases)+1))
	core.Append(project, followtest.Schema("posts", 2, uint64(releases)+1))
	return core, project
}

func publish(core *followtest.Core, project string, releases int) {
	rnd := rand.New(rand.NewPCG(uint64(releases), 1))
	var entries []string
	first := 1
	for _, c := range core.Changes(project) {
		if r, ok := c.Body.(*recordpb.Release); ok {
			first = int(r.Number) + 1
		}
	}
	for n := range releases {
		entry := followtest.Entry()
		entries = append(entries, entry)
		items := []*recordpb.Item{followtest.Put(entry, fmt.Sprintf("s-%d", n), fmt.Sprintf(`{"title":"%d","body":"%x"}`, n, rnd.Uint64()))}
		if n%5 == 4 {
			items = append(items, followtest.Unpublish(entries[rnd.IntN(len(entries)-1)]))
		}
		core.Append(project, followtest.Release(uint64(first+n), items...))
		if n%7 == 0 {
			core.Append(project, followtest.Rank(entry, fmt.Sprintf("r%d", n)))
		}
	}
}

func load(ctx context.Context, store blob.Store, m *recordpb.Manifest) (*followtest.State, error) {
	state := followtest.NewState()
	err := snapshot.Load(ctx, store, m, func(_ record.Kind, body proto.Message) error { return state.Add(body) })
	return state, err
}

func TestWhatIsWrittenIsLoadedEqual(t *testing.T) {
	core, project := filled(60)
	organization := string(content.NewID[content.OrganizationID]())
	core.Append(organization, followtest.Organization(organization))
	for i := range 3 {
		core.Append(organization, followtest.Key(string(content.NewID[content.KeyID]()), i == 1))
	}
	empty := string(content.NewID[content.ProjectID]())
	core.Append(empty, followtest.Project(empty, organization, 1))

	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 2000}
	for _, log := range []string{project, organization, empty} {
		ref, err := w.Write(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		m, err := snapshot.Latest(t.Context(), store, log)
		if err != nil {
			t.Fatal(err)
		}
		if at := snapshot.At(m); at != core.Head(log) || at != ref.Position {
			t.Errorf("the snapshot is at %s, the log at %s", at, core.Head(log))
		}
		state, err := load(t.Context(), store, m)
		if err != nil {
			t.Fatal(err)
		}
		want, got := core.Sum(log), state.Sum()
		if got != want || string(m.StateHash) != string(want.Bytes()) {
			t.Errorf("loaded %s, manifest %x, core %s", got, m.StateHash, want)
		}
		if log == project && (len(m.Segments) < 3 || m.Tail == nil) {
			t.Errorf("%d segments, tail %v", len(m.Segments), m.Tail)
		}
		if _, err := w.Write(t.Context(), log); !errors.Is(err, snapshot.ErrNotNewer) {
			t.Errorf("a second snapshot of the same position: %v", err)
		}
	}
	if _, err := w.Write(t.Context(), "prj_none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a log that does not exist: %v", err)
	}
}

func TestSegmentsAreWrittenOnceAndOldSnapshotsGo(t *testing.T) {
	core, project := filled(30)
	store := &counting{Store: &blobtest.Memory{}, puts: map[string]int{}}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1000}
	for range 5 {
		publish(core, project, 20)
		if _, err := w.Write(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		if err := w.Sweep(t.Context(), project); err != nil {
			t.Fatal(err)
		}
	}
	places := map[string]bool{}
	for key, n := range store.puts {
		if strings.Contains(key, "/segments/") && n != 1 {
			t.Errorf("%s was written %d times", key, n)
		}
		if _, rest, ok := strings.Cut(key, "/at/"); ok {
			if _, err := store.Head(t.Context(), key); err == nil {
				place, _, _ := strings.Cut(rest, "/")
				places[place] = true
			}
		}
	}
	if len(places) != snapshot.Kept {
		t.Errorf("objects of %d snapshots are left: %v", len(places), places)
	}
	kept, err := core.Recorded(t.Context(), project, snapshot.Kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range kept {
		if err := w.Verify(t.Context(), ref); err != nil {
			t.Error(err)
		}
	}
}

// Where objects are lost, of the newest snapshot or of segments that it builds on, the next one builds on none of them;
// and those who ask for a snapshot get one that is whole, though the log has not moved.
func TestASnapshotBuildsOnNothingThatIsLost(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, store blob.Store, m *recordpb.Manifest){
		"everything": func(t *testing.T, store blob.Store, _ *recordpb.Manifest) {
			var keys []string
			if err := store.List(t.Context(), "", func(i blob.Info) error { keys = append(keys, i.Key); return nil }); err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				remove(t, store, key)
			}
		},
		"a segment": func(t *testing.T, store blob.Store, m *recordpb.Manifest) { remove(t, store, m.Segments[1].Key) },
		"the end of a segment": func(t *testing.T, store blob.Store, m *recordpb.Manifest) {
			key := m.Segments[0].Key
			write(t, store, key, []byte(read(t, store, key)[1:]))
		},
		"the state": func(t *testing.T, store blob.Store, m *recordpb.Manifest) { remove(t, store, m.State.Key) },
	} {
		for _, moved := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, moved %t", name, moved), func(t *testing.T) {
				core, project := filled(60)
				store := &blobtest.Memory{}
				w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1000}
				ref, err := w.Write(t.Context(), project)
				if err != nil {
					t.Fatal(err)
				}
				m, err := snapshot.Open(t.Context(), store, project, ref.Manifest)
				if err != nil || len(m.Segments) < 2 {
					t.Fatalf("%d segments, %v", len(m.Segments), err)
				}
				harm(t, store, m)
				var damaged *snapshot.DamagedError
				if err := w.CheckPresent(t.Context(), ref); !errors.As(err, &damaged) {
					t.Fatalf("it is said to be whole: %v", err)
				}
				if moved {
					publish(core, project, 1)
					ref, err = w.Write(t.Context(), project)
				} else {
					ref, err = keep(t, core, store, 1, snapshot.KeeperConfig{}).Request(t.Context(), project, record.Position{})
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Verify(t.Context(), ref); err != nil {
					t.Fatal(err)
				}
				if m, err = snapshot.Latest(t.Context(), store, project); err != nil || snapshot.At(m) != core.Head(project) {
					t.Fatalf("%v", err)
				}
				state, err := load(t.Context(), store, m)
				if err != nil || state.Sum() != core.Sum(project) {
					t.Errorf("loaded something else: %v", err)
				}
			})
		}
	}
}

// A store that cannot be asked says nothing about what it holds.
func TestAStoreThatIsAwayBreaksNoSnapshot(t *testing.T) {
	core, project := filled(5)
	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir()}
	ref, err := w.Write(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var damaged *snapshot.DamagedError
	if err := w.CheckPresent(gone, ref); err == nil || errors.As(err, &damaged) {
		t.Errorf("%v", err)
	}
	publish(core, project, 1)
	if _, err := w.Write(gone, project); err == nil {
		t.Error("written without a store")
	}
	if refs, err := core.Recorded(t.Context(), project, 9); err != nil || len(refs) != 1 {
		t.Errorf("%v, %v", refs, err)
	}
}

func remove(t *testing.T, store blob.Store, key string) {
	t.Helper()
	if err := store.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

func TestWritersAtOnceLeaveTheNewestWhole(t *testing.T) {
	core, project := filled(200)
	store := &blobtest.Memory{}
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1500}
			for range 5 {
				core.Append(project, followtest.Rank(followtest.Entry(), "x"))
				if _, err := w.Write(t.Context(), project); err != nil && !errors.Is(err, snapshot.ErrNotNewer) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	m, err := snapshot.Latest(t.Context(), store, project)
	if err != nil {
		t.Fatal(err)
	}
	if at := snapshot.At(m); at != core.Head(project) {
		t.Errorf("the pointer is at %s, the log at %s", at, core.Head(project))
	}
	if state, err := load(t.Context(), store, m); err != nil || state.Sum() != core.Sum(project) {
		t.Errorf("it does not load equal: %v", err)
	}
}

func TestADamagedSnapshotDoesNotLoad(t *testing.T) {
	core, project := filled(40)
	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1500}
	ref, err := w.Write(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	if err := store.List(t.Context(), "", func(o blob.Info) error { keys = append(keys, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	damages := map[string]func([]byte) []byte{
		"a byte flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"cut off":        func(b []byte) []byte { return b[:len(b)-1] },
		"half":           func(b []byte) []byte { return b[:len(b)/2] },
		"empty":          func([]byte) []byte { return nil },
		"longer":         func(b []byte) []byte { return append(b, 0) },
		"gone":           nil,
	}
	for _, key := range keys {
		whole := read(t, store, key)
		for name, damage := range damages {
			if damage == nil {
				if err := store.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, store, key, damage([]byte(whole)))
			}
			if m, err := snapshot.Latest(t.Context(), store, project); err == nil {
				if _, err := load(t.Context(), store, m); err == nil {
					t.Errorf("%s: %s: it loads", key, name)
				}
			}
			if err := w.Verify(t.Context(), ref); err == nil && !strings.HasSuffix(key, "/latest") {
				t.Errorf("%s: %s: it verifies", key, name)
			}
			write(t, store, key, []byte(whole))
		}
	}
	if err := w.Verify(t.Context(), ref); err != nil {
		t.Error(err)
	}
}

func TestAnErrorOfTheLoaderEndsTheLoad(t *testing.T) {
	core, project := filled(40)
	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir()}
	if _, err := w.Write(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	m, err := snapshot.Latest(t.Context(), store, project)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	calls := 0
	err = snapshot.Load(t.Context(), store, m, func(record.Kind, proto.Message) error { calls++; return full })
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := snapshot.Load(ctx, store, m, func(record.Kind, proto.Message) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

type counting struct {
	blob.Store
	puts map[string]int
}

func (c *counting) Put(ctx context.Context, key string, body io.Reader, size int64, opts blob.PutOptions) error {
	c.puts[key]++
	return c.Store.Put(ctx, key, body, size, opts)
}

func read(t *testing.T, store blob.Store, key string) string {
	t.Helper()
	body, _, err := store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, store blob.Store, key string, data []byte) {
	t.Helper()
	if err := store.Put(t.Context(), key, strings.NewReader(string(data)), int64(len(data)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}
