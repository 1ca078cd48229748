package changeset_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

func TestRacingPublishesOfTheSameEntryHaveOneWinner(t *testing.T) {
	b := newBed(t)
	ids := []content.EntryID{}
	for i := range 5 {
		ids = append(ids, b.published("posts", fmt.Sprintf(`{"title": "Post %d"}`, i)).ID)
	}
	for round := range 5 {
		sets := []*changeset.ChangeSet{b.set("a"), b.set("b"), b.set("c"), b.set("d")}
		for _, set := range sets {
			for _, id := range ids {
				b.patch(set, id, fmt.Sprintf(`{"body": "round %d in %s"}`, round, set.ID))
			}
		}
		var won atomic.Int32
		var group sync.WaitGroup
		for _, set := range sets {
			group.Go(func() {
				_, err := b.tryPublish(set)
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
	if !one[bool](b, `SELECT count(*) = max(number) AND count(*) = (SELECT number FROM release_head) FROM release`) {
		b.Fatal("release numbers have gaps")
	}
	if !one[bool](b, `SELECT coalesce(bool_and(published_at > before), true)
		FROM (SELECT published_at, lag(published_at) OVER (ORDER BY number) AS before FROM release) r WHERE before IS NOT NULL`) {
		b.Fatal("release times do not rise")
	}
	if !one[bool](b, `SELECT NOT EXISTS (SELECT FROM entry e
		FULL JOIN (SELECT * FROM publication WHERE to_release = 9223372036854775807) p ON p.entry_id = e.id
		WHERE p.revision_id IS DISTINCT FROM e.published_revision_id OR p.slug IS DISTINCT FROM e.published_slug)`) {
		b.Fatal("live intervals and pointers disagree")
	}
	if !one[bool](b, `SELECT NOT EXISTS (SELECT FROM change c JOIN change n ON n.log = c.log AND n.seq = c.seq + 1 WHERE n.prev <> c.chain)
		AND (SELECT bool_and(count = max) FROM (SELECT count(*), max(seq) FROM change GROUP BY log) c)`) {
		b.Fatal("a log is broken")
	}
}

func TestRacingPublishesOfDifferentEntriesAllWin(t *testing.T) {
	b := newBed(t)
	var sets []*changeset.ChangeSet
	for i := range 16 {
		sets = append(sets, b.create(nil, "posts", fmt.Sprintf(`{"title": "Post %d"}`, i)).ChangeSet)
	}
	var group sync.WaitGroup
	for _, set := range sets {
		group.Go(func() {
			if _, err := b.tryPublish(set); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	b.checkHistory()
}

func TestRacingPublishesOfOneSlugHaveOneWinner(t *testing.T) {
	b := newBed(t)
	for round := range 6 {
		sets := []*changeset.ChangeSet{}
		for range 4 {
			sets = append(sets, b.create(nil, "posts", fmt.Sprintf(`{"title": "Same %d"}`, round)).ChangeSet)
		}
		var won atomic.Int32
		var group sync.WaitGroup
		for _, set := range sets {
			group.Go(func() {
				_, err := b.tryPublish(set)
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
	b := newBed(t)
	b.push(posts, authors, `{"name": "home", "kind": "singleton", "fields": {"title": {"type": "text"}}}`)
	var won atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "home", write(nil, `{"title": "x"}`))
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
			_, pushed = schemadeploy.Push(t.Context(), b.pool, b.actor, b.id, proposal(tight, authors))
		})
		group.Go(func() {
			_, written = entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", write(nil, fmt.Sprintf(`{"title": "P %d", "body": "too long"}`, round)))
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
		b.push(posts, authors)
	}
}

// drop deletes every post for good.
func drop(b *bed) {
	b.Helper()
	list, err := entry.List(b.Context(), b.pool, b.actor, b.id, entry.Filter{Collection: "posts"}, postgres.Page{})
	b.ok(err)
	for _, e := range list.Items {
		staged, err := entry.Delete(b.Context(), b.pool, b.actor, b.id, string(e.ID), "")
		b.ok(err)
		_, err = changeset.Publish(b.Context(), b.pool, b.actor, b.id, string(staged.ChangeSet), true)
		b.ok(err)
	}
}

// A push waits for writes that are under way, but is not starved by a stream of them.
func TestPushIsNotStarvedByWrites(t *testing.T) {
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
				if _, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "authors", write(nil, `{"name": "x"}`)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	name := "renamed"
	for range 10 {
		name += "."
		if _, err := project.Update(t.Context(), b.pool, b.actor, b.id, project.Settings{Name: &name}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	group.Wait()
}

func TestPublishRacesWritesIntoTheSet(t *testing.T) {
	b := newBed(t)
	for round := range 10 {
		set := b.set("set")
		e := b.create(set, "posts", fmt.Sprintf(`{"title": "P %d"}`, round)).Entry
		var group sync.WaitGroup
		var published, written error
		group.Go(func() { _, published = b.tryPublish(set) })
		group.Go(func() {
			_, written = entry.Patch(t.Context(), b.pool, b.actor, b.id, string(e.ID), write(set, `{"body": "late"}`))
		})
		group.Wait()
		b.ok(published)
		e = b.get(e.ID)
		late := string(e.Published.Fields) != fmt.Sprintf(`{"title":"P %d","slug":"p-%d"}`, round, round)
		if (written == nil) != late || written != nil && !fault.Is(written, fault.Conflict) {
			t.Fatalf("write: %v; published: %s", written, e.Published.Fields)
		}
	}
	b.checkHistory()
}
