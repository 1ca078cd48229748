package followtest

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/blob/blobtest"
	"svc/shared/content"
)

// Run checks that a store keeps the contract of follow.Applier. Open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) follow.Applier) {
	t.Run("positions and state move with every change", func(t *testing.T) { step(t, open(t)) })
	t.Run("what does not follow is refused and changes nothing", func(t *testing.T) { refusal(t, open(t)) })
	t.Run("a change of a later epoch follows an equal chain", func(t *testing.T) { laterEpoch(t, open(t)) })
	t.Run("the content is reported", func(t *testing.T) { testContent(t, open(t)) })
	t.Run("a snapshot is equal to the changes it stands for", func(t *testing.T) { load(t, open(t)) })
	t.Run("an aborted load changes nothing", func(t *testing.T) { abort(t, open(t)) })
	t.Run("a dropped log is gone and can begin again", func(t *testing.T) { drop(t, open(t)) })
}

// history returns a core with a project that has seen every kind of change, and an organization.
func history() (core *Core, project, organization string) {
	core = NewCore()
	project, organization = string(content.NewID[content.ProjectID]()), string(content.NewID[content.OrganizationID]())
	core.Append(organization, Organization(organization))
	key := string(content.NewID[content.KeyID]())
	core.Append(organization, Key(key, false))
	core.Append(organization, Key(string(content.NewID[content.KeyID]()), false))
	core.Append(organization, Key(key, true))

	core.Append(project, Project(project, organization, 1))
	core.Append(project, Schema("posts", 1, 1))
	a, b, c := Entry(), Entry(), Entry()
	core.Append(project, Release(1, Put(a, "a", `{"title":"A"}`), Put(b, "b", `{"title":"B"}`)))
	core.Append(project, Rank(b, "m"))
	core.Append(project, Release(2, Put(c, "", `{"title":"C"}`), Put(a, "a2", `{"title":"A2"}`)))
	core.Append(project, Project(project, organization, 3))
	core.Append(project, Schema("posts", 2, 3))
	core.Append(project, &recordpb.Rank{Collection: "posts", Entries: []*recordpb.RankedEntry{{Entry: a, Rank: "f"}, {Entry: b, Rank: ""}}})
	gone := Unpublish(b)
	gone.Operation = recordpb.Operation_OPERATION_DELETE
	core.Append(project, Release(3, gone, Unpublish(c)))
	core.Append(project, Release(4, Put(c, "a", `{"title":"C"}`), Put(a, "c", `{"title":"A"}`)))
	return core, project, organization
}

// same checks that the store is where a log of core is, with the same state however it is told.
func same(t *testing.T, store follow.Applier, id string, at record.Position, sum record.StateSum) {
	t.Helper()
	positions, err := store.Positions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if positions[id] != at {
		t.Fatalf("the store is at %s, want %s", positions[id], at)
	}
	kept, held, err := store.StateHash(t.Context(), id)
	if err != nil || !held || kept != sum {
		t.Fatalf("the kept sum at %s is %s, %v, %v; want %s", at, kept, held, err, sum)
	}
	scanned, err := store.Rescan(t.Context(), id)
	if err != nil || scanned != sum {
		t.Fatalf("the scanned sum at %s is %s, %v; want %s", at, scanned, err, sum)
	}
}

func step(t *testing.T, store follow.Applier) {
	core, project, organization := history()
	for _, id := range []string{project, organization} {
		state := NewState()
		for _, c := range core.Changes(id) {
			if err := store.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if err := state.Add(c.Body); err != nil {
				t.Fatal(err)
			}
			same(t, store, id, c.Position, state.Sum())
		}
	}
}

func refusal(t *testing.T, store follow.Applier) {
	core, project, _ := history()
	changes := core.Changes(project)
	if err := store.Apply(t.Context(), changes[1]); err == nil {
		t.Fatal("a log began with its second change")
	}
	for _, c := range changes[:4] {
		if err := store.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	state := NewState()
	for _, c := range changes[:4] {
		if err := state.Add(c.Body); err != nil {
			t.Fatal(err)
		}
	}
	other := *changes[4]
	other.Prev[0] ^= 1
	for _, c := range []*record.Change{changes[3], changes[0], changes[5], &other} {
		if err := store.Apply(t.Context(), c); err == nil {
			t.Errorf("change %s was taken after %s", c.Position, changes[3].Position)
		}
	}
	same(t, store, project, changes[3].Position, state.Sum())
	if err := store.Apply(t.Context(), changes[4]); err != nil {
		t.Errorf("after refusals: %v", err)
	}
}

func laterEpoch(t *testing.T, store follow.Applier) {
	core, project, _ := history()
	changes := core.Changes(project)
	for i, c := range changes {
		later := *c
		if i >= 3 {
			later.Position.Epoch = 7
		}
		if err := store.Apply(t.Context(), &later); err != nil {
			t.Fatal(err)
		}
	}
	want := changes[len(changes)-1].Position
	want.Epoch = 7
	same(t, store, project, want, core.Sum(project))
}

// testContent checks what the store says it holds after every change. A project is pinned in the end.
func testContent(t *testing.T, store follow.Applier) {
	core, project, organization := history()
	pinned := Project(project, organization, 5)
	pinned.PinnedRelease = 2
	core.Append(project, pinned)
	if c, err := store.Content(t.Context(), project); err != nil || c != (follow.Content{}) {
		t.Fatalf("of a log that is not held: %+v, %v", c, err)
	}
	for _, id := range []string{project, organization} {
		var want follow.Content
		for _, c := range core.Changes(id) {
			if err := store.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			switch b := c.Body.(type) {
			case *recordpb.Release:
				want.Newest = record.StampOf(b)
			case *recordpb.Project:
				want.Pinned = b.PinnedRelease
			}
			if got, err := store.Content(t.Context(), id); err != nil || got != want {
				t.Fatalf("after %s: %+v, %v; want %+v", c.Position, got, err, want)
			}
		}
	}
}

func load(t *testing.T, store follow.Applier) {
	core, project, organization := history()
	blobs := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: blobs, Dir: t.TempDir(), SegmentBytes: 200}
	for _, id := range []string{project, organization} {
		if err := store.Apply(t.Context(), core.Changes(id)[0]); err != nil { // to be replaced
			t.Fatal(err)
		}
		if _, err := w.Write(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		m, err := snapshot.Latest(t.Context(), blobs, id)
		if err != nil {
			t.Fatal(err)
		}
		loader, err := store.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		add := func(kind record.Kind, body proto.Message) error { return loader.Add(t.Context(), kind, body) }
		if err := snapshot.Load(t.Context(), blobs, m, add); err != nil {
			t.Fatal(errors.Join(err, loader.Abort()))
		}
		if err := loader.Commit(t.Context(), snapshot.At(m)); err != nil {
			t.Fatal(err)
		}
		same(t, store, id, core.Head(id), core.Sum(id))
	}
	next := core.Append(project, Release(5, Put(Entry(), "new", `{"title":"N"}`)))
	if err := store.Apply(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	same(t, store, project, core.Head(project), core.Sum(project))
}

func abort(t *testing.T, store follow.Applier) {
	core, project, _ := history()
	changes := core.Changes(project)
	state := NewState()
	for _, c := range changes[:3] {
		if err := store.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := state.Add(c.Body); err != nil {
			t.Fatal(err)
		}
	}
	loader, err := store.Load(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Kind == record.KindProject || c.Kind == record.KindSchema {
			if err := loader.Add(t.Context(), c.Kind, c.Body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := loader.Abort(); err != nil {
		t.Fatal(err)
	}
	same(t, store, project, changes[2].Position, state.Sum())
}

func drop(t *testing.T, store follow.Applier) {
	core, project, organization := history()
	for _, id := range []string{project, organization} {
		for _, c := range core.Changes(id) {
			if err := store.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := store.Drop(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if positions, err := store.Positions(t.Context()); err != nil || len(positions) != 1 {
		t.Fatalf("%v, %v", positions, err)
	}
	if _, held, err := store.StateHash(t.Context(), project); err != nil || held {
		t.Fatalf("it is still held: %v", err)
	}
	if err := store.Drop(t.Context(), project); err != nil {
		t.Errorf("a second time: %v", err)
	}
	same(t, store, organization, core.Head(organization), core.Sum(organization))
	for _, c := range core.Changes(project) {
		if err := store.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	same(t, store, project, core.Head(project), core.Sum(project))
}
