package changeset_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

func TestRacingPublishesOfTheSameEntryHaveOneWinner(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ids := []content.EntryID{}
	for i := range 5 {
		ids = append(ids, b.Published("posts", fmt.Sprintf(`{"title": "Post %d"}`, i)).ID)
	}
	for round := range 5 {
		sets := []*changeset.ChangeSet{b.Set("a"), b.Set("b"), b.Set("c"), b.Set("d")}
		for _, set := range sets {
			for _, id := range ids {
				b.Patch(set, id, fmt.Sprintf(`{"body": "round %d in %s"}`, round, set.ID))
			}
		}
		var won atomic.Int32
		var group sync.WaitGroup
		for _, set := range sets {
			group.Go(func() {
				_, err := b.TryPublish(set)
				if err == nil {
					won.Add(1)
					return
				}
				f := fault.As(err)
				if f.Code != fault.PublishValidationFailed || len(f.Items) != len(ids) {
					t.Errorf("a loser got %v with %d findings", err, len(f.Items))
				}
				for _, item := range f.Items {
					if item.Code != "STALE_REVISION" {
						t.Errorf("%+v", item)
					}
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d winners", won.Load())
		}
	}
	b.checkHistory()
}

// checkHistory checks that releases have no gaps, times that rise, and that live intervals agree with the pointers.
func (b *bed) checkHistory() {
	b.Helper()
	if !entrytest.One[bool](b.Bed, `SELECT count(*) = coalesce(max(number), 0) AND count(*) = (SELECT number FROM release_head) FROM release`) {
		b.Fatal("release numbers have gaps")
	}
	if !entrytest.One[bool](b.Bed, `SELECT coalesce(bool_and(published_at > before), true)
		FROM (SELECT published_at, lag(published_at) OVER (ORDER BY number) AS before FROM release) r WHERE before IS NOT NULL`) {
		b.Fatal("release times do not rise")
	}
	if !entrytest.One[bool](b.Bed, `SELECT NOT EXISTS (SELECT FROM entry e
		FULL JOIN (SELECT * FROM publication WHERE to_release = 9223372036854775807) p ON p.entry_id = e.id
		WHERE p.revision_id IS DISTINCT FROM e.published_revision_id OR p.slug IS DISTINCT FROM e.published_slug)`) {
		b.Fatal("live intervals and pointers disagree")
	}
	if !entrytest.One[bool](b.Bed, `SELECT NOT EXISTS (SELECT FROM change c JOIN change n ON n.log = c.log AND n.seq = c.seq + 1 WHERE n.prev <> c.chain)
		AND (SELECT bool_and(count = max) FROM (SELECT count(*), max(seq) FROM change GROUP BY log) c)`) {
		b.Fatal("a log is broken")
	}
}

func TestRacingPublishesOfDifferentEntriesAllWin(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var sets []*changeset.ChangeSet
	for i := range 16 {
		sets = append(sets, b.Create(nil, "posts", fmt.Sprintf(`{"title": "Post %d"}`, i)).ChangeSet)
	}
	var group sync.WaitGroup
	for _, set := range sets {
		group.Go(func() {
			if _, err := b.TryPublish(set); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	b.checkHistory()
}

func TestRacingPublishesOfOneSlugHaveOneWinner(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for round := range 6 {
		sets := []*changeset.ChangeSet{}
		for range 4 {
			sets = append(sets, b.Create(nil, "posts", fmt.Sprintf(`{"title": "Same", "slug": "same-%d"}`, round)).ChangeSet)
		}
		var won atomic.Int32
		var group sync.WaitGroup
		for _, set := range sets {
			group.Go(func() {
				_, err := b.TryPublish(set)
				switch f := fault.As(err); {
				case err == nil:
					won.Add(1)
				case f.Code != fault.PublishValidationFailed || len(f.Items) != 1 || f.Items[0].Code != "slug_taken":
					t.Errorf("a loser got %v", err)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d winners", won.Load())
		}
	}
	b.checkHistory()
}

func TestRacingCreatesOfASingletonHaveOneWinner(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "home", "kind": "singleton", "fields": {"title": {"type": "text"}}}`)
	var won atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "home", entrytest.Write(nil, `{"title": "x"}`))
			switch {
			case err == nil:
				won.Add(1)
			case !fault.Is(err, fault.Conflict) || len(fault.As(err).EntryIDs) != 1:
				t.Errorf("a loser got %v", err)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d items", won.Load())
	}
}

// A write is checked against the schema before the push or the one after it, never against one that is not in force
// when it commits: whatever order they come in, every draft fits the schema at the end.
func TestPushRacesEntryWrites(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const tight = `{"name": "posts", "visibility": "public", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true, "maxLength": 80},
		"slug": {"type": "slug", "from": "title"},
		"body": {"type": "markdown", "maxLength": 5},
		"author": {"type": "reference", "to": "authors"}}}`
	for round := range 10 {
		var group sync.WaitGroup
		var pushed, written error
		group.Go(func() {
			_, pushed = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(tight, entrytest.Authors))
		})
		group.Go(func() {
			_, written = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", entrytest.Write(nil, fmt.Sprintf(`{"title": "P %d", "body": "too long"}`, round)))
		})
		group.Wait()
		for _, err := range []error{pushed, written} {
			if err != nil && !fault.Is(err, fault.ValidationFailed) {
				t.Fatal(err)
			}
		}
		if (pushed == nil) == (written == nil) {
			t.Fatalf("exactly one of both fits: push %v, write %v", pushed, written)
		}
		// Start the next round with neither: what was written goes, and the schema is loose.
		if written == nil {
			drop(b)
		}
		b.Push(entrytest.Posts, entrytest.Authors)
	}
}

// drop deletes every post for good.
func drop(b *bed) {
	b.Helper()
	list, err := entry.List(b.Context(), b.Pool, b.Actor, b.ID, entry.Filter{Collection: "posts"}, postgres.Page{})
	b.OK(err)
	for _, e := range list.Items {
		staged, err := entry.Delete(b.Context(), b.Pool, b.Actor, b.ID, string(e.ID), "")
		b.OK(err)
		_, err = changeset.Publish(b.Context(), b.Pool, b.Actor, b.ID, string(staged.ChangeSet), true)
		b.OK(err)
	}
}

// A push waits for writes that are under way, but is not starved by a stream of them.
func TestPushIsNotStarvedByWrites(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "authors", entrytest.Write(nil, `{"name": "x"}`)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	name := "renamed"
	for range 10 {
		name += "."
		if _, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Name: &name}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	group.Wait()
}

func TestPublishRacesWritesIntoTheSet(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for round := range 10 {
		set := b.Set("set")
		e := b.Create(set, "posts", fmt.Sprintf(`{"title": "P %d"}`, round)).Entry
		var group sync.WaitGroup
		var published, written error
		group.Go(func() { _, published = b.TryPublish(set) })
		group.Go(func() {
			_, written = entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), entrytest.Write(set, `{"body": "late"}`))
		})
		group.Wait()
		b.OK(published)
		e = b.Get(e.ID)
		late := string(e.Published.Fields) != fmt.Sprintf(`{"title":"P %d","slug":"p-%d"}`, round, round)
		if (written == nil) != late || written != nil && !fault.Is(written, fault.Conflict) {
			t.Fatalf("write: %v; published: %s", written, e.Published.Fields)
		}
	}
	b.checkHistory()
}
