package changelog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"svc/core/access"
	"svc/core/account"
	"svc/core/changelog"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/core/rewind"
	"svc/core/schemadeploy"
	"svc/deploy/local/localtest"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/publish"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob/blobtest"
	"svc/shared/content"
	"svc/shared/credential"
)

const secret = "the cluster's secret, of enough characters"

// site is all of core that edges depend on, with a database and a stream of its own.
type site struct {
	testing.TB
	pool   *pgxpool.Pool
	source *changelog.Source
	nats   string
	blobs  *blobtest.Memory
	writer *snapshot.Writer
	core   string // address
	actor  *access.Actor
	org    content.OrganizationID
	id     content.ProjectID
}

func newEdgeSite(t testing.TB) *site {
	commits := changelog.NewCommits()
	pool := postgrestest.OpenWith(t, commits)
	s := &site{TB: t, pool: pool, nats: localtest.NATS(t), blobs: &blobtest.Memory{}, actor: access.System()}
	s.source = changelog.NewSource(pool, commits, s.logger())
	s.writer = &snapshot.Writer{Source: s.source, Blobs: s.blobs, Dir: t.TempDir(), SegmentBytes: 600}
	keeper := snapshot.NewKeeper(s.writer, s.source, snapshot.KeeperConfig{Every: time.Hour, Logger: s.logger()})
	conn := s.connect("core")
	guard := rewind.New(pool, commits, rewind.Comparison{Source: s.source, Stream: conn, Blobs: s.blobs}, nil, s.logger(), nil)
	s.run(
		(&publish.Relay{Source: s.source, Stream: conn, Blobs: s.blobs, WentBack: guard.WentBack, Log: s.logger(),
			Metrics: publish.NewMetrics(nil)}).Run,
		(&publish.Heartbeat{Core: "core-1", Clock: s.source, Stream: conn, Log: s.logger(), Every: 50 * time.Millisecond}).Run,
		keeper.Run,
	)
	server := httptest.NewServer((&changelog.Internal{Pool: pool, Secret: secret, Log: s.logger(), Snapshot: keeper.Request, Gap: guard.After}).Handler())
	t.Cleanup(server.Close)
	s.core = server.URL
	return s
}

func (s *site) logger() *slog.Logger { return slog.New(slog.NewTextHandler(s.Output(), nil)) }

func (s *site) connect(name string) *stream.Conn {
	conn, err := stream.Connect(stream.Config{URL: s.nats, Name: name}, s.logger())
	s.ok(err)
	s.Cleanup(conn.Close)
	return conn
}

// run runs parts until the test ends.
func (s *site) run(parts ...func(context.Context) error) {
	ctx, cancel := context.WithCancel(s.Context())
	var running errgroup.Group
	for _, part := range parts {
		running.Go(func() error { return part(ctx) })
	}
	s.Cleanup(func() {
		cancel()
		if err := running.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			s.Error(err)
		}
	})
}

func (s *site) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// edge runs a follower on a store.
func (s *site) edge(store *followtest.Store, tuning follow.Tuning) *follow.Follower {
	s.Helper()
	client := follow.NewCoreClient(s.core, secret)
	s.Cleanup(client.Close)
	f := follow.New(follow.Config{
		Edge: "edge-1", Applier: store, Stream: s.connect("edge"), Core: client, Blobs: s.blobs, Logger: s.logger(), Tuning: tuning,
	})
	s.run(f.Run)
	return f
}

// equal waits until a store is where the database is in a log, and compares their states.
func (s *site) equal(store *followtest.Store, log string) {
	s.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		at, want, err := s.source.StateHash(s.Context(), log)
		s.ok(err)
		// An epoch that began without a change is told by heartbeats, not stored.
		if have := store.At(log); have.Seq == at.Seq && have.Chain == at.Chain {
			if got := store.State(log).Sum(); got != want {
				s.Fatalf("log %s at %s: the edge has %s, core %s", log, at, got, want)
			}
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("log %s: the edge is at %s, core at %s", log, store.At(log), at)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// work makes every kind of change.
func (s *site) work() {
	s.Helper()
	ctx := s.Context()
	founded, err := account.Bootstrap(ctx, s.pool, account.NewOrganization{Slug: "acme", Name: "Acme"}, "first")
	s.ok(err)
	s.org = founded.Organization.ID
	p, err := project.Create(ctx, s.pool, s.actor, s.org, project.NewProject{Slug: "site"})
	s.ok(err)
	s.id = p.ID
	key, _, err := account.MintKey(ctx, s.pool, s.actor, account.NewKey{Organization: s.org, Label: "k",
		Scopes: []credential.Scope{credential.ContentRead}, ExpiresAt: time.Now().Add(time.Hour)})
	s.ok(err)
	_, err = account.RevokeKey(ctx, s.pool, s.actor, s.org, "", string(key.ID))
	s.ok(err)
	s.push(`{"name": "posts", "label": "Posts", "visibility": "public", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true}, "slug": {"type": "slug", "from": "title"}}}`)
	entries := s.publish("a", "b", "c", "d", "e", "f")
	for i := range 12 {
		s.publish(fmt.Sprint("more ", i))
	}
	_, err = entry.Reorder(ctx, s.pool, s.actor, s.id, "posts", entry.Arrangement{Order: []content.EntryID{entries[2], entries[0]}})
	s.ok(err)
	locales, locale := []string{"en", "de"}, "en"
	_, err = schemadeploy.Configure(ctx, s.pool, s.actor, s.id, project.Settings{Locales: &locales, DefaultLocale: &locale})
	s.ok(err)
	const articles = `{"name": "posts", "label": "Articles", "visibility": "public", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true}, "slug": {"type": "slug", "from": "title"}, "body": {"type": "markdown"}}}`
	s.push(articles)
	set, err := changeset.Create(ctx, s.pool, s.actor, s.id, changeset.NewChangeSet{Title: "away"})
	s.ok(err)
	_, err = entry.Unpublish(ctx, s.pool, s.actor, s.id, string(entries[0]), string(set.ID))
	s.ok(err)
	_, err = entry.Delete(ctx, s.pool, s.actor, s.id, string(entries[1]), string(set.ID))
	s.ok(err)
	_, err = entry.Patch(ctx, s.pool, s.actor, s.id, string(entries[2]), entry.Write{
		Data: jsontext.Value(`{"slug": "b", "body": "Now *b*"}`), ChangeSet: string(set.ID)})
	s.ok(err)
	_, err = changeset.Publish(ctx, s.pool, s.actor, s.id, string(set.ID), true)
	s.ok(err)
	s.push(articles, `{"name": "notes", "fields": {"text": {"type": "text"}}}`)
	set, err = changeset.Create(ctx, s.pool, s.actor, s.id, changeset.NewChangeSet{Title: "notes"})
	s.ok(err)
	note, err := entry.Create(ctx, s.pool, s.actor, s.id, "notes", entry.Write{Data: jsontext.Value(`{"text": "N"}`), ChangeSet: string(set.ID)})
	s.ok(err)
	_, err = changeset.Publish(ctx, s.pool, s.actor, s.id, string(set.ID), true)
	s.ok(err)
	_, err = entry.Reorder(ctx, s.pool, s.actor, s.id, "notes", entry.Arrangement{Order: []content.EntryID{note.Entry.ID}})
	s.ok(err)
	s.push(articles) // the note and its place are kept, though no one finds them
	name := "Renamed"
	_, err = schemadeploy.Configure(ctx, s.pool, s.actor, s.id, project.Settings{Name: &name})
	s.ok(err)
}

func (s *site) push(collections ...string) {
	s.Helper()
	in := schemadeploy.Proposal{AllowDestructive: true}
	for _, c := range collections {
		in.Collections = append(in.Collections, jsontext.Value(c))
	}
	_, err := schemadeploy.Push(s.Context(), s.pool, s.actor, s.id, in)
	s.ok(err)
}

// publish makes one release with an entry for each title.
func (s *site) publish(titles ...string) (ids []content.EntryID) {
	s.Helper()
	set, err := changeset.Create(s.Context(), s.pool, s.actor, s.id, changeset.NewChangeSet{Title: titles[0]})
	s.ok(err)
	for _, title := range titles {
		w, err := entry.Create(s.Context(), s.pool, s.actor, s.id, "posts", entry.Write{
			Data: jsontext.Value(fmt.Sprintf(`{"title": %q}`, title)), ChangeSet: string(set.ID)})
		s.ok(err)
		ids = append(ids, w.Entry.ID)
	}
	_, err = changeset.Publish(s.Context(), s.pool, s.actor, s.id, string(set.ID), true)
	s.ok(err)
	return ids
}

func TestEdgesHoldWhatCoreHolds(t *testing.T) {
	t.Parallel()
	s := newEdgeSite(t)
	early := &followtest.Store{}
	f := s.edge(early, follow.Tuning{})
	s.work()
	logs := []string{string(s.org), string(s.id)}
	for _, log := range logs {
		s.equal(early, log)
	}

	late := &followtest.Store{} // from changes
	s.edge(late, follow.Tuning{})
	for _, log := range logs {
		s.equal(late, log)
	}

	far := &followtest.Store{} // from a snapshot
	s.edge(far, follow.Tuning{FarBehind: 1})
	for _, log := range logs {
		s.equal(far, log)
		if _, loads := far.Applied(); loads[log] != 1 {
			t.Errorf("%d snapshots of %s were loaded", loads[log], log)
		}
	}
	published := s.publish("after the snapshot")
	s.equal(far, string(s.id))
	if far.State(string(s.id)).Live[string(published[0])] == nil {
		t.Error("the newest entry is not live")
	}

	at := time.Now()
	for deadline := at.Add(2 * time.Minute); !f.Settled(string(s.id)).After(at) || f.CredentialAge(string(s.org)) > 5*time.Second; {
		if time.Now().After(deadline) {
			t.Fatalf("time is settled up to %v, and credentials are %s old", f.Settled(string(s.id)), f.CredentialAge(string(s.org)))
		}
		time.Sleep(5 * time.Millisecond)
	}

	s.ok(project.Delete(t.Context(), s.pool, s.actor, s.id))
	s.equal(far, string(s.id))
	deleted := &followtest.Store{}
	s.edge(deleted, follow.Tuning{FarBehind: 1})
	s.equal(deleted, string(s.id))
}

func TestSnapshotsOfADatabase(t *testing.T) {
	t.Parallel()
	s := newEdgeSite(t)
	s.work()
	log := string(s.id)
	policy := snapshot.Policy{Changes: 10, Items: 1 << 40, Age: time.Hour}
	due, err := s.source.Due(t.Context(), policy, 10)
	if err != nil || len(due) != 1 || due[0] != log {
		t.Fatalf("due are %v, %v", due, err)
	}
	if due, err := s.source.Due(t.Context(), snapshot.Policy{Changes: 1 << 40, Items: 20, Age: time.Hour}, 10); err != nil || len(due) != 1 {
		t.Errorf("by items, due are %v, %v", due, err)
	}
	if due, err := s.source.Due(t.Context(), snapshot.Policy{Changes: 1 << 40, Items: 1 << 40, Age: time.Microsecond}, 10); err != nil || len(due) != 2 {
		t.Errorf("by age, due are %v, %v", due, err)
	}
	for n := range 4 {
		s.publish(fmt.Sprint("snapshot ", n))
		ref, err := s.writer.Write(t.Context(), log)
		s.ok(err)
		s.ok(s.writer.Verify(t.Context(), ref))
		s.ok(s.writer.Sweep(t.Context(), log))
		m, err := snapshot.Latest(t.Context(), s.blobs, log)
		if err != nil || snapshot.At(m) != ref.Position || len(m.Segments) < 2 {
			t.Fatalf("%v, %v", m, err)
		}
	}
	if _, err := s.writer.Write(t.Context(), log); !errors.Is(err, snapshot.ErrNotNewer) {
		t.Errorf("nothing has changed: %v", err)
	}
	if due, err = s.source.Due(t.Context(), policy, 10); err != nil || len(due) != 0 {
		t.Errorf("due are %v, %v", due, err)
	}
	refs, err := s.source.Recorded(t.Context(), log, 9)
	if err != nil || len(refs) != 4 {
		t.Fatalf("%v, %v", refs, err)
	}
	pruned, err := snapshot.Prune(t.Context(), s.writer, s.source, log, 2)
	if err != nil || uint64(pruned) != refs[2].Position.Seq {
		t.Fatalf("pruned %d, %v", pruned, err)
	}
	m, err := snapshot.Latest(t.Context(), s.blobs, log)
	s.ok(err)
	s.ok(s.blobs.Delete(t.Context(), m.Segments[1].Key))
	if err := s.writer.VerifyOrForget(t.Context(), refs[0]); err == nil {
		t.Error("a snapshot whose segment is gone passes for whole")
	}
	ref, err := s.writer.Write(t.Context(), log) // in the place of the one that was found damaged
	if err != nil || ref.Position != refs[0].Position {
		t.Fatalf("%v, %v", ref, err)
	}
	s.ok(s.writer.Verify(t.Context(), ref))
	if _, err := s.pool.Exec(t.Context(), `UPDATE log_head SET epoch = epoch + 1 WHERE log = $1`, log); err != nil {
		t.Fatal(err)
	}
	if due, err = s.source.Due(t.Context(), policy, 10); err != nil || len(due) != 1 {
		t.Errorf("in a new epoch, due are %v, %v", due, err)
	}
	store := &followtest.Store{}
	s.edge(store, follow.Tuning{})
	s.equal(store, log)
}

func TestOneWriterOfSnapshotsAtATime(t *testing.T) {
	t.Parallel()
	s := newEdgeSite(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		_, err := s.source.Exclusive(t.Context(), "prj_1", func(context.Context) error { close(inside); <-leave; return nil })
		first <- err
	}()
	<-inside
	never := func(context.Context) error { t.Error("two at once"); return nil }
	if mine, err := s.source.Exclusive(t.Context(), "prj_1", never); mine || err != nil {
		t.Errorf("%v, %v", mine, err)
	}
	if mine, err := s.source.Exclusive(t.Context(), "prj_2", func(context.Context) error { return nil }); !mine || err != nil {
		t.Errorf("another log: %v, %v", mine, err)
	}
	close(leave)
	s.ok(<-first)
	if mine, err := s.source.Exclusive(t.Context(), "prj_1", func(context.Context) error { return nil }); !mine || err != nil {
		t.Errorf("afterwards: %v, %v", mine, err)
	}
}
