package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestRefusedChanges gives a store changes that no core would make: it names what is wrong, and neither the state nor
// what readers see moves.
func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	p.publish(p.post(1, "a"))
	item := func(edit func(it *recordpb.Item)) *recordpb.Release {
		it := itemBody(p.post(2, "b"))
		edit(it)
		return &recordpb.Release{Number: 2, PublishedMs: 2000, Items: []*recordpb.Item{itemBody(p.post(3, "c")), it}}
	}
	version := func(name, canonical string) *recordpb.Schema {
		return &recordpb.Schema{FromRelease: 2, Collections: []*recordpb.CollectionVersion{{Name: name, Version: 2, Canonical: []byte(canonical)}}}
	}
	for _, c := range []struct {
		body proto.Message
		says string
	}{
		{&recordpb.Release{Number: 1, PublishedMs: 2000}, "does not come after release 1"},
		{&recordpb.Release{Number: 2, PublishedMs: 1000}, "does not come after release 1"},
		{&recordpb.Release{Number: 1 << 63, PublishedMs: 2000}, "out of range"},
		{item(func(it *recordpb.Item) { it.Entry = "ent_x" }), `"ent_x" is no entry id`},
		{item(func(it *recordpb.Item) { it.Revision = "rev" }), `"rev" is no revision id`},
		{item(func(it *recordpb.Item) { it.Operation = 9 }), "operation 9 is unknown"},
		{item(func(it *recordpb.Item) { it.Collection = "" }), "no name"},
		{item(func(it *recordpb.Item) { it.Slug = "a\x00b" }), "zero byte"},
		{item(func(it *recordpb.Item) { it.Entry = string(readtest.Entry(3)) }), "twice"},
		{version("posts", `{"name":"posts","fields":{"x":{"type":"no such type"}}}`), "schema of posts: version 2 cannot be read"},
		{version("posts", `{"name":"notes","fields":{}}`), "schema of posts"},
		{&recordpb.Rank{Collection: "posts", Entries: []*recordpb.RankedEntry{{Entry: "ent_y", Rank: "a"}}}, `"ent_y" is no entry id`},
		{&recordpb.Project{Id: string(readtest.Project(2)), FromRelease: 2}, "in the log of"},
		{&recordpb.Project{Id: string(p.id), FromRelease: 0}, "come after those from release 1"},
		{&recordpb.Organization{Id: string(p.id)}, "does not belong in log"},
		{&recordpb.Key{Id: "k", PublicId: "p"}, "does not belong in log"},
		{&recordpb.Heartbeat{}, "does not belong in log"},
	} {
		change := &record.Change{Log: string(p.id), Prev: p.log().pos.Chain, Kind: "test", Body: c.body}
		change.Position = record.Position{Epoch: 1, Seq: p.log().pos.Seq + 1}
		err := p.s.Apply(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want an error that says %q", c.body, err, c.says)
		}
	}
	p.log().wantSum(t, p.s)
	wantSound(t, p.s, string(p.id))
	p.publish(p.post(4, "d"))
	v := p.view()
	defer v.Close()
	if got := len(listAll(t, v, "posts", 0, 10)); got != 2 {
		t.Errorf("there are %d entries", got)
	}
}

func TestForeignLogsAreRefused(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	for _, id := range []string{"", "x", "prj_", string(readtest.Entry(1))} {
		if err := sub.s.Apply(t.Context(), &record.Change{Log: id, Position: record.Position{Seq: 1}}); err == nil {
			t.Errorf("a change of log %q was taken", id)
		}
		if _, err := sub.s.Load(t.Context(), id); err == nil {
			t.Errorf("log %q is loaded", id)
		}
		if err := sub.s.Drop(t.Context(), id); err == nil {
			t.Errorf("log %q was dropped", id)
		}
	}
}

// A load that lacks what every log has, or whose bodies are wrong, leaves what is served.
func TestRefusedLoads(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	p.publish(p.post(1, "a"))
	ld, err := p.s.Load(t.Context(), string(p.id))
	if err != nil {
		t.Fatal(err)
	}
	if err := ld.Add(t.Context(), record.KindRelease, &recordpb.Release{Number: 1, PublishedMs: 5, Items: []*recordpb.Item{{Entry: "?", Collection: "posts"}}}); err == nil {
		t.Error("a malformed release was loaded")
	}
	if err := ld.Commit(t.Context(), record.Position{Epoch: 1, Seq: 9}); err == nil || !strings.Contains(err.Error(), "no settings") {
		t.Errorf("a load without settings: %v", err)
	}
	if err := ld.Add(t.Context(), record.KindRank, &recordpb.Rank{}); !errors.Is(err, errLoadEnded) {
		t.Errorf("a load that ended went on: %v", err)
	}
	p.log().wantSum(t, p.s)
	wantGenerations(t, p.s, 1)
}

// TestFullDisk shows that a store on a full disk refuses changes, serves on, and goes on when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 10 << 30})
	p := newProject(t, newSubject(t, fs), 1)
	p.publish(p.post(1, "a"))
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: DefaultMinFree - 1})
	p.s.disk.checked.Store(0)
	c := p.log().next(record.KindRelease, &recordpb.Release{Number: 2, PublishedMs: 2000})
	if err := p.s.Apply(t.Context(), c); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a change on a full disk: %v", err)
	}
	if err := p.log().tryLoad(p.s, 10, true); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a load on a full disk: %v", err)
	}
	v := p.view()
	if v.Head().Number != 1 || len(listAll(t, v, "posts", 0, 10)) != 1 {
		t.Error("the store does not serve what it holds")
	}
	v.Close()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 10 << 30})
	if err := p.s.Apply(t.Context(), c); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestForeignCursors(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	p.publish(p.post(1, "a"))
	v := p.view()
	defer v.Close()
	for _, key := range []read.Key{{}, {Missing: true, Entry: "x"}, {Entry: readtest.Entry(1)}, {Missing: true, Value: "a", Entry: readtest.Entry(1)}} {
		if _, err := v.List(t.Context(), read.ListQuery{Collection: "posts", Limit: 5, After: &key}); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%+v: %v", key, err)
		}
	}
	for _, slug := range []string{"", "a\x00", "a\x00\xff", strings.Repeat("a", 5000)} {
		if _, found, err := v.BySlug(t.Context(), "posts", slug, 0); found || err != nil {
			t.Errorf("slug %q: %v, %v", slug, found, err)
		}
	}
}

func TestConfigReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := New(Config{MemoryBudget: 5})
	if err == nil || !strings.Contains(err.Error(), "directory") || !strings.Contains(err.Error(), fmt.Sprint(MinMemoryBudget)) {
		t.Errorf("%v", err)
	}
}
