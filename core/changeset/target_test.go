package changeset_test

import (
	"slices"
	"sync"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// Interface, "Entry write targeting rules", rule by rule.
func TestWriteJoinsTheNamedSetAndBuildsOnIt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One", "body": "published"}`)
	set := b.Set("mine")
	first := b.Patch(set, e.ID, `{"title": "Two"}`)
	second := b.Patch(set, e.ID, `{"body": "draft"}`)
	if second.ChangeSet.ID != set.ID || *second.Revision.Parent != first.Revision.ID ||
		string(second.Revision.Fields) != `{"title":"Two","slug":"one","body":"draft"}` {
		t.Fatalf("%s on %v", second.Revision.Fields, second.Revision.Parent)
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM change_set_item WHERE change_set_id = $1`, set.ID); n != 1 {
		t.Fatalf("staging again overwrites; %d items", n)
	}
}

func TestWriteWithoutASetJoinsTheOnlyOne(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	set := b.Set("mine")
	b.Patch(set, e.ID, `{"title": "Two"}`)
	ready := content.ChangeSetReady
	_, err := changeset.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(set.ID), changeset.Edit{Status: &ready})
	b.OK(err)
	w := b.Patch(nil, e.ID, `{"body": "more"}`)
	if w.ChangeSet.ID != set.ID || w.ChangeSet.Status != content.ChangeSetReady ||
		string(w.Revision.Fields) != `{"title":"Two","slug":"one","body":"more"}` {
		t.Fatalf("%s in %+v", w.Revision.Fields, w.ChangeSet)
	}
}

func TestWriteOutsideOfEverySetMakesOneFromThePublishedRevision(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One", "body": "published"}`)
	other := b.Set("other")
	b.Patch(other, e.ID, `{"body": "other's work"}`)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(other.ID))
	b.OK(err)
	w := b.Patch(nil, e.ID, `{"title": "Two"}`)
	if w.ChangeSet.Title != changeset.WorkingTitle || w.ChangeSet.Status != content.ChangeSetOpen ||
		string(w.Revision.Fields) != `{"title":"Two","slug":"one","body":"published"}` {
		t.Fatalf("%s in %+v", w.Revision.Fields, w.ChangeSet)
	}
	named := b.Patch(b.Set("third"), e.ID, `{"title": "Three"}`)
	if string(named.Revision.Fields) != `{"title":"Three","slug":"one","body":"published"}` {
		t.Fatalf("a named set starts from the published revision too, not from %s", named.Revision.Fields)
	}
}

func TestWriteToAnEntryInSeveralSetsNeedsOneNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	first, second := b.Set("first"), b.Set("second")
	b.Patch(first, e.ID, `{"title": "Two"}`)
	b.Patch(second, e.ID, `{"title": "Three"}`)
	_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), entrytest.Write(nil, `{"title": "Four"}`))
	f := b.Refused(err, fault.Conflict)
	if want := []string{string(first.ID), string(second.ID)}; !slices.Equal(f.ChangeSetIDs, want) {
		t.Fatalf("candidates %v, want %v", f.ChangeSetIDs, want)
	}
	_, err = entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), "")
	b.Refused(err, fault.Conflict)
}

func TestTheFirstOfSeveralSetsToPublishWins(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	first, second := b.Set("first"), b.Set("second")
	b.Patch(first, e.ID, `{"title": "Two"}`)
	b.Patch(second, e.ID, `{"title": "Three"}`)
	b.Publish(second)
	_, err := b.TryPublish(first)
	f := b.Refused(err, fault.PublishValidationFailed)
	if len(f.Items) != 1 || f.Items[0].Code != "STALE_REVISION" || f.Items[0].ResourceID != string(e.ID) {
		t.Fatalf("%+v", f.Items)
	}
	// An edit in the stale set keeps its base: it would still undo what was published meanwhile.
	b.Patch(first, e.ID, `{"body": "more"}`)
	_, err = b.TryPublish(first)
	b.Refused(err, fault.PublishValidationFailed)
}

func TestConcurrentWritesToOneEntryShareOneSet(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), entrytest.Write(nil, `{"body": "x"}`))
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := entrytest.One[int](b.Bed, `SELECT count(DISTINCT change_set_id) FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
		WHERE resource_id = $1 AND s.status = 'open'`, e.ID); n != 1 {
		t.Fatalf("the entry is in %d sets", n)
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM revision WHERE entry_id = $1`, e.ID); n != 9 {
		t.Fatalf("%d revisions", n)
	}
}

func TestUnstageAndCloseMoveTheDraftAway(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	older, newer := b.Set("older"), b.Set("newer")
	old := b.Patch(older, e.ID, `{"title": "Two"}`)
	b.Patch(newer, e.ID, `{"title": "Three"}`)
	if e = b.Get(e.ID); e.Status != entry.StatusChanged {
		t.Fatalf("status %s", e.Status)
	}
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(newer.ID))
	b.OK(err)
	if e = b.Get(e.ID); *e.DraftRevisionID != old.Revision.ID {
		t.Fatalf("draft %s, want that of the other set", *e.DraftRevisionID)
	}
	_, err = changeset.Unstage(t.Context(), b.Pool, b.Actor, b.ID, string(older.ID), string(e.ID))
	b.OK(err)
	if e = b.Get(e.ID); *e.DraftRevisionID != *e.PublishedRevisionID || e.Status != entry.StatusPublished {
		t.Fatalf("%+v", e)
	}
	_, err = changeset.Unstage(t.Context(), b.Pool, b.Actor, b.ID, string(older.ID), string(e.ID))
	b.Refused(err, fault.NotFound)
	items, err := changeset.Items(t.Context(), b.Pool, b.Actor, b.ID, string(older.ID), postgres.Page{})
	b.OK(err)
	if len(items.Items) != 0 {
		t.Fatalf("%+v", items)
	}
}
