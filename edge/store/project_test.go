package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// project drives one project of a subject.
type project struct {
	*subject
	t    *testing.T
	id   content.ProjectID
	head uint64
	rev  uint64
}

func newProject(t *testing.T, sub *subject, n uint64) *project {
	t.Helper()
	p := &project{subject: sub, t: t, id: readtest.Project(n), rev: n << 32}
	p.settings(fmt.Sprintf("shop-%d", n), false)
	p.must(sub.PutSchema(t.Context(), p.id, readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{{
		Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}}`),
	}}}))
	return p
}

func (p *project) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) settings(slug string, deleted bool) {
	p.t.Helper()
	p.must(p.PutSettings(p.t.Context(), readtest.Settings{Deleted: deleted, From: p.head + 1, Project: read.Project{
		ID: p.id, Organization: readtest.Organization(1), Slug: slug, PublicAPIEnabled: true,
	}}))
}

func (p *project) log() *feed { return p.feed(string(p.id)) }

// post is an item that publishes entry n.
func (p *project) post(n uint64, slug string) readtest.Item {
	p.rev++
	return readtest.Item{
		Entry: readtest.Entry(n), Collection: "posts", Slug: slug, Revision: readtest.Revision(p.rev), SchemaVersion: 1,
		Fields: fmt.Sprintf(`{"title":"%d in release %d"}`, n, p.head+1),
	}
}

func gone(n uint64) readtest.Item {
	return readtest.Item{Entry: readtest.Entry(n), Collection: "posts"}
}

func (p *project) publish(items ...readtest.Item) {
	p.t.Helper()
	p.head++
	r := readtest.Release{Release: content.Release{Number: p.head, PublishedAt: time.UnixMilli(int64(p.head) * 1000)}, Items: items}
	p.must(p.Publish(p.t.Context(), p.id, r))
}

func (p *project) view() read.View {
	p.t.Helper()
	v, err := p.s.Open(p.t.Context(), string(p.id))
	p.must(err)
	return v
}

// wantServed checks which project answers to a slug; nil is none.
func wantServed(t *testing.T, s *Store, slug string, want *project) {
	t.Helper()
	v, err := s.Open(t.Context(), slug)
	switch {
	case want == nil && fault.Is(err, fault.NotFound):
	case err != nil:
		t.Errorf("%s: %v", slug, err)
	default:
		if want == nil || v.Project().ID != want.id {
			t.Errorf("%s leads to %s", slug, v.Project().ID)
		}
		v.Close()
	}
	if p := s.Resolve(slug); (p != nil) != (want != nil) || p != nil && p.ID != want.id {
		t.Errorf("%s resolves to %v", slug, p)
	}
}

func TestSlugsPassBetweenProjectsInAnyOrder(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	a, b := newProject(t, sub, 1), newProject(t, sub, 2)
	wantServed(t, sub.s, "shop-1", a)
	b.settings("shop-1", false) // its log is ahead of the other's
	a.settings("shop-3", false)
	for range 2 {
		wantServed(t, sub.s, "shop-1", b)
		wantServed(t, sub.s, "shop-2", nil)
		wantServed(t, sub.s, "shop-3", a)
		a.log().load(t, sub.s)
	}
	b.settings("shop-1", true)
	wantServed(t, sub.s, "shop-1", nil)
	a.settings("shop-1", false)
	wantServed(t, sub.s, "shop-1", a)
	b.settings("shop-1", true)
	wantServed(t, sub.s, "shop-1", a)
	if err := sub.s.Drop(t.Context(), string(a.id)); err != nil {
		t.Fatal(err)
	}
	wantServed(t, sub.s, "shop-1", nil)
	wantServed(t, sub.s, string(a.id), nil)
}

// A database that went back lost a project whose slug another one takes then: the lost one's log never says that it gave it up.
func TestASlugLeadsToWhoTookItLast(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	lost, again := newProject(t, sub, 1), newProject(t, sub, 2)
	wantServed(t, sub.s, "shop-1", lost)
	again.settings("shop-1", false)
	for range 2 {
		wantServed(t, sub.s, "shop-1", again)
		again.log().load(t, sub.s)
		wantServed(t, sub.s, string(lost.id), lost)
	}
	lost.settings("shop-1", false)
	wantServed(t, sub.s, "shop-1", again)
	lost.must(sub.s.Drop(t.Context(), string(lost.id)))
	wantServed(t, sub.s, "shop-1", again)
}

// An edge that begins with nothing may have all of one log before it has the first change of another.
func TestASlugThatPassedOnDoesNotComeBackWithThePast(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	later := newProject(t, sub, 2)
	later.settings("shop-1", false)
	former := newProject(t, sub, 1)
	former.settings("shop-3", false)
	wantServed(t, sub.s, "shop-1", later)
	wantServed(t, sub.s, "shop-3", former)
}

// A project that no one reads holds no snapshot and no memory; what exceeds the budget leaves before that.
func TestIdleProjectsLeaveMemory(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	const n = 100
	for i := range uint64(n) {
		p := newProject(t, sub, i+1)
		p.publish(p.post(1, "a"))
	}
	for i := range uint64(n) {
		v, err := sub.s.Open(t.Context(), fmt.Sprintf("shop-%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		v.Close()
		if got, limit := sub.s.resident.Load(), sub.s.cfg.metaBytes(); got > limit {
			t.Fatalf("projects take %d bytes, more than %d", got, limit)
		}
	}
	held := sub.s.db.Metrics().Snapshots.Count
	if held == 0 || held > n {
		t.Fatalf("%d snapshots are held", held)
	}
	v, err := sub.s.Open(t.Context(), "shop-1")
	if err != nil {
		t.Fatal(err)
	}
	for range idleSweeps + 1 {
		sub.s.sweep()
	}
	if got := sub.s.db.Metrics().Snapshots.Count; got != 1 {
		t.Errorf("%d snapshots are held for one open view", got)
	}
	if len(listAll(t, v, "posts", 0, 10)) != 1 {
		t.Error("the view lost its entry")
	}
	v.Close()
	if got := sub.s.resident.Load(); got != 0 || sub.s.db.Metrics().Snapshots.Count != 0 {
		t.Errorf("idle projects hold %d bytes and %d snapshots", got, sub.s.db.Metrics().Snapshots.Count)
	}
}

// A snapshot that stays in use is renewed, so that it does not keep what was written over since.
func TestSnapshotsOfReadProjectsAreRenewed(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	a, b := newProject(t, sub, 1), newProject(t, sub, 2)
	a.publish(a.post(1, "a"))
	for i := range uint64(5) {
		a.view().Close()
		before := sub.s.db.Metrics().Snapshots.EarliestSeqNum
		b.publish(b.post(i, ""))
		for range renewSweeps {
			sub.s.sweep()
		}
		if after := sub.s.db.Metrics().Snapshots.EarliestSeqNum; after == before {
			t.Fatalf("after %d sweeps the earliest snapshot is still that of %d", renewSweeps, before)
		}
	}
	v := a.view()
	defer v.Close()
	if len(listAll(t, v, "posts", 0, 10)) != 1 {
		t.Error("a renewed view lost its entry")
	}
}

func TestCloseWaitsForViews(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	p := newProject(t, sub, 1)
	p.publish(p.post(1, "a"))
	v := p.view()
	closed := make(chan error)
	go func() { closed <- sub.s.Close() }()
	for !sub.s.closed.Load() {
		time.Sleep(time.Millisecond)
	}
	if _, err := sub.s.Open(t.Context(), string(p.id)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a closing store opened a view: %v", err)
	}
	if err := sub.s.Apply(t.Context(), p.log().next(record.KindRank, &recordpb.Rank{Collection: "posts"})); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a closing store took a change: %v", err)
	}
	if len(listAll(t, v, "posts", 0, 10)) != 1 {
		t.Error("the view lost its entry")
	}
	v.Close()
	v.Close()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestCommitsAreTold once readers can see them, with what changed, and what a deployment took from public readers.
func TestCommitsAreTold(t *testing.T) {
	t.Parallel()
	var got []string
	sub := &subject{t: t, feeds: map[string]*feed{}}
	cfg := sub.config(vfs.NewMem())
	cfg.OnCommit = func(c Commit) {
		kind := record.Kind("none")
		if c.Change != nil {
			kind = c.Change.Kind
		}
		got = append(got, fmt.Sprintf("%d %s: head %d, reads %d, was public %v", c.Seq, kind, c.Head, c.Release, c.WasPublic))
		if c.Head > 0 { // those who are told can read it
			v, err := sub.s.Open(context.Background(), c.Log)
			if err != nil || v.Head().Number != c.Head {
				t.Errorf("told of release %d: %v", c.Head, err)
			}
			v.Close()
		}
		if at, held, err := sub.s.Position(c.Log); err != nil || at.Seq != c.Seq || held != (c.Seq > 0) {
			t.Errorf("told of %d at position %d, %v", c.Seq, at.Seq, err)
		}
	}
	var err error
	if sub.s, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	defer sub.s.Close()
	p := newProject(t, sub, 1) // its posts are private
	deploy := func(version uint32, posts string, removed ...string) {
		t.Helper()
		s := readtest.Schema{Number: uint64(version), From: p.head + 1, Removed: removed}
		if posts != "" {
			s.Collections = []readtest.Version{{Name: "posts", Version: version, Label: "Posts", Canonical: []byte(posts)}}
		}
		p.must(sub.PutSchema(t.Context(), p.id, s))
	}
	p.publish(p.post(1, "a"))
	p.publish(p.post(2, "b"))
	deploy(2, `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}`)
	deploy(3, "", "posts")
	p.must(p.PutSettings(t.Context(), readtest.Settings{From: 3, Project: read.Project{ID: p.id, Organization: readtest.Organization(1), Slug: "shop-1", Pinned: 1}}))
	p.log().load(t, sub.s)
	p.must(sub.s.Drop(t.Context(), string(p.id)))
	want := []string{
		"1 project: head 0, reads 0, was public []",
		"2 schema: head 0, reads 0, was public []",
		"3 release: head 1, reads 1, was public []",
		"4 release: head 2, reads 2, was public []",
		"5 schema: head 2, reads 2, was public []",
		"6 schema: head 2, reads 2, was public [posts]",
		"7 project: head 2, reads 1, was public []",
		"7 none: head 2, reads 1, was public []",
		"0 none: head 0, reads 0, was public []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
