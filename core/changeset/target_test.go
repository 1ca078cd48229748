package changeset_test

import (
	"slices"
	"sync"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// Interface, "Entry write targeting rules", rule by rule.
func TestWriteJoinsTheNamedSetAndBuildsOnIt(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One", "body": "published"}`)
	set := b.set("mine")
	first := b.patch(set, e.ID, `{"title": "Two"}`)
	second := b.patch(set, e.ID, `{"body": "draft"}`)
	if second.ChangeSet.ID != set.ID || *second.Revision.Parent != first.Revision.ID ||
		string(second.Revision.Fields) != `{"title":"Two","slug":"one","body":"draft"}` {
		t.Fatalf("%s on %v", second.Revision.Fields, second.Revision.Parent)
	}
	if n := one[int](b, `SELECT count(*) FROM change_set_item WHERE change_set_id = $1`, set.ID); n != 1 {
		t.Fatalf("staging again overwrites; %d items", n)
	}
}

func TestWriteWithoutASetJoinsTheOnlyOne(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	set := b.set("mine")
	b.patch(set, e.ID, `{"title": "Two"}`)
	ready := content.ChangeSetReady
	_, err := changeset.Patch(t.Context(), b.pool, b.actor, b.id, string(set.ID), changeset.Edit{Status: &ready})
	b.ok(err)
	w := b.patch(nil, e.ID, `{"body": "more"}`)
	if w.ChangeSet.ID != set.ID || w.ChangeSet.Status != content.ChangeSetReady ||
		string(w.Revision.Fields) != `{"title":"Two","slug":"one","body":"more"}` {
		t.Fatalf("%s in %+v", w.Revision.Fields, w.ChangeSet)
	}
}

func TestWriteOutsideOfEverySetMakesOneFromThePublishedRevision(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One", "body": "published"}`)
	other := b.set("other")
	b.patch(other, e.ID, `{"body": "other's work"}`)
	_, err := changeset.Close(t.Context(), b.pool, b.actor, b.id, string(other.ID))
	b.ok(err)
	w := b.patch(nil, e.ID, `{"title": "Two"}`)
	if w.ChangeSet.Title != changeset.WorkingTitle || w.ChangeSet.Status != content.ChangeSetOpen ||
		string(w.Revision.Fields) != `{"title":"Two","slug":"one","body":"published"}` {
		t.Fatalf("%s in %+v", w.Revision.Fields, w.ChangeSet)
	}
	named := b.patch(b.set("third"), e.ID, `{"title": "Three"}`)
	if string(named.Revision.Fields) != `{"title":"Three","slug":"one","body":"published"}` {
		t.Fatalf("a named set starts from the published revision too, not from %s", named.Revision.Fields)
	}
}

func TestWriteToAnEntryInSeveralSetsNeedsOneNamed(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	first, second := b.set("first"), b.set("second")
	b.patch(first, e.ID, `{"title": "Two"}`)
	b.patch(second, e.ID, `{"title": "Three"}`)
	_, err := entry.Patch(t.Context(), b.pool, b.actor, b.id, string(e.ID), write(nil, `{"title": "Four"}`))
	f := b.refused(err, fault.Conflict)
	if want := []string{string(first.ID), string(second.ID)}; !slices.Equal(f.ChangeSetIDs, want) {
		t.Fatalf("candidates %v, want %v", f.ChangeSetIDs, want)
	}
	_, err = entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(e.ID), "")
	b.refused(err, fault.Conflict)
}

func TestTheFirstOfSeveralSetsToPublishWins(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	first, second := b.set("first"), b.set("second")
	b.patch(first, e.ID, `{"title": "Two"}`)
	b.patch(second, e.ID, `{"title": "Three"}`)
	b.publish(second)
	_, err := b.tryPublish(first)
	f := b.refused(err, fault.PublishValidationFailed)
	if len(f.Items) != 1 || f.Items[0].Code != "STALE_REVISION" || f.Items[0].ResourceID != string(e.ID) {
		t.Fatalf("%+v", f.Items)
	}
	// An edit in the stale set keeps its base: it would still undo what was published meanwhile.
	b.patch(first, e.ID, `{"body": "more"}`)
	_, err = b.tryPublish(first)
	b.refused(err, fault.PublishValidationFailed)
}

func TestConcurrentWritesToOneEntryShareOneSet(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := entry.Patch(t.Context(), b.pool, b.actor, b.id, string(e.ID), write(nil, `{"body": "x"}`))
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := one[int](b, `SELECT count(DISTINCT change_set_id) FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
		WHERE resource_id = $1 AND s.status = 'open'`, e.ID); n != 1 {
		t.Fatalf("the entry is in %d sets", n)
	}
	if n := one[int](b, `SELECT count(*) FROM revision WHERE entry_id = $1`, e.ID); n != 9 {
		t.Fatalf("%d revisions", n)
	}
}

func TestUnstageAndCloseMoveTheDraftAway(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	older, newer := b.set("older"), b.set("newer")
	old := b.patch(older, e.ID, `{"title": "Two"}`)
	b.patch(newer, e.ID, `{"title": "Three"}`)
	if e = b.get(e.ID); e.Status != entry.StatusChanged {
		t.Fatalf("status %s", e.Status)
	}
	_, err := changeset.Close(t.Context(), b.pool, b.actor, b.id, string(newer.ID))
	b.ok(err)
	if e = b.get(e.ID); *e.DraftRevisionID != old.Revision.ID {
		t.Fatalf("draft %s, want that of the other set", *e.DraftRevisionID)
	}
	_, err = changeset.Unstage(t.Context(), b.pool, b.actor, b.id, string(older.ID), string(e.ID))
	b.ok(err)
	if e = b.get(e.ID); *e.DraftRevisionID != *e.PublishedRevisionID || e.Status != entry.StatusPublished {
		t.Fatalf("%+v", e)
	}
	_, err = changeset.Unstage(t.Context(), b.pool, b.actor, b.id, string(older.ID), string(e.ID))
	b.refused(err, fault.NotFound)
	items, err := changeset.Items(t.Context(), b.pool, b.actor, b.id, string(older.ID), postgres.Page{})
	b.ok(err)
	if len(items.Items) != 0 {
		t.Fatalf("%+v", items)
	}
}
