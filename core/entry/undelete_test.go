package entry_test

import (
	"fmt"
	"sync"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// deletedEntry is an entry that a release deleted.
func (b *bed) deletedEntry(collection, data string) content.EntryID {
	b.Helper()
	e := b.Published(collection, data)
	set := b.Set("deletion")
	_, err := entry.Delete(b.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(set.ID))
	b.OK(err)
	b.Publish(set)
	return e.ID
}

func (b *bed) undelete(id content.EntryID) (*entry.Written, error) {
	return entry.Undelete(b.Context(), b.Pool, b.Actor, b.ID, string(id), "")
}

func TestAnUndeletedEntryOfACollectionThatLostItsSlugsHasNone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := b.deletedEntry("posts", `{"title": "One"}`)
	p := entrytest.Proposal(`{"name": "posts", "titleField": "title", "fields": {"title": {"type": "text", "required": true}}}`, entrytest.Authors)
	p.AllowDestructive = true
	_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
	b.OK(err)
	w, err := b.undelete(id)
	b.OK(err)
	if w.Revision.Slug != nil || string(w.Revision.Fields) != `{"title":"One"}` {
		t.Fatalf("%+v", w.Revision)
	}
	b.Publish(w.ChangeSet)
	if e := b.Get(id); e.Status != entry.StatusPublished {
		t.Fatal(e.Status)
	}
}

// What deleted a published entry ended its publication: it is unpublished since then once it is brought back, until it is published.
func TestAnUndeletedEntryIsUnpublishedSinceItsPublicationEnded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	remove := func(set *changeset.ChangeSet, id content.EntryID) *entry.Entry {
		_, err := entry.Delete(b.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		b.OK(err)
		b.Publish(set)
		return b.Get(id)
	}
	bringBack := func(id content.EntryID) *entry.Written {
		w, err := b.undelete(id)
		b.OK(err)
		return w
	}
	id := b.Published("posts", `{"title": "One"}`).ID
	gone := remove(b.Set("deletion"), id)
	if !gone.UnpublishedAt.IsZero() {
		t.Errorf("deleted: %s", gone.UnpublishedAt)
	}
	back := bringBack(id)
	if e := back.Entry; !e.DeletedAt.IsZero() || !e.UnpublishedAt.Equal(gone.DeletedAt) || e.Status != entry.StatusUnpublished {
		t.Errorf("deleted at %s, and brought back: %s, %s", gone.DeletedAt, e.UnpublishedAt, e.Status)
	}
	b.Publish(back.ChangeSet)
	if e := b.Get(id); !e.UnpublishedAt.IsZero() {
		t.Errorf("published: %s", e.UnpublishedAt)
	}
	set := b.Set("unpublish")
	_, err := entry.Unpublish(b.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
	b.OK(err)
	b.Publish(set)
	ended := b.Get(id).UnpublishedAt
	remove(b.Set("deletion"), id)
	if e := bringBack(id).Entry; ended.IsZero() || !e.UnpublishedAt.Equal(ended) {
		t.Errorf("unpublished at %s, deleted and brought back: %s", ended, e.UnpublishedAt)
	}
	never := b.Create(nil, "posts", `{"title": "Two"}`)
	remove(never.ChangeSet, never.Entry.ID)
	if e := bringBack(never.Entry.ID).Entry; !e.UnpublishedAt.IsZero() {
		t.Errorf("never published: %s", e.UnpublishedAt)
	}
}

// Entries that refer to each other come back one after the other, though neither can be published before the other is back.
func TestACircleComesBackOneByOne(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "pages", "fields": {"next": {"type": "reference", "to": "pages"}}}`)
	one := b.Create(nil, "pages", `{}`)
	other := b.Create(one.ChangeSet, "pages", fmt.Sprintf(`{"next": %q}`, one.Entry.ID)).Entry.ID
	b.Patch(one.ChangeSet, one.Entry.ID, fmt.Sprintf(`{"next": %q}`, other))
	b.Publish(one.ChangeSet)
	for _, id := range []content.EntryID{one.Entry.ID, other} {
		set := b.Set("deletion")
		_, err := entry.Delete(b.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		b.OK(err)
		b.Publish(set)
	}
	w, err := b.undelete(other)
	b.OK(err)
	_, err = b.TryPublish(w.ChangeSet)
	if got, want := entrytest.Codes(b.Refused(err, fault.PublishValidationFailed)), string(other)+" fields.next reference_unpublished; "; got != want {
		t.Errorf("published alone: %s, want %s", got, want)
	}
	_, err = entry.Restore(b.Context(), b.Pool, b.Actor, b.ID, string(other), string(w.Revision.ID), string(w.ChangeSet.ID))
	b.Refused(err, fault.ValidationFailed)
	_, err = entry.Undelete(b.Context(), b.Pool, b.Actor, b.ID, string(one.Entry.ID), string(w.ChangeSet.ID))
	b.OK(err)
	b.Publish(w.ChangeSet)
}

// Of two that bring back two items of a singleton at once, one does.
func TestASingletonGetsOneItemBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "home", "kind": "singleton", "fields": {"title": {"type": "text"}}}`)
	ids := []content.EntryID{b.deletedEntry("home", `{"title": "A"}`), b.deletedEntry("home", `{"title": "B"}`)}
	errs := make([]error, len(ids))
	var both sync.WaitGroup
	for i, id := range ids {
		both.Go(func() { _, errs[i] = b.undelete(id) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatal(errs)
	}
	for _, err := range errs {
		if err != nil {
			b.Refused(err, fault.Conflict)
		}
	}
}

// A revert gives no singleton a second item either.
func TestARevertGivesNoSecondItem(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "home", "kind": "singleton", "fields": {"title": {"type": "text"}}}`)
	b.deletedEntry("home", `{"title": "A"}`) // by release 2
	b.Published("home", `{"title": "B"}`)
	_, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "2", "", false)
	b.Refused(err, fault.Conflict)
}

// What a release created, and a later one deleted, is as it was before already.
func TestARevertLeavesDeletedEntriesAlone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.deletedEntry("posts", `{"title": "One"}`)
	_, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "1", "", true)
	b.Refused(err, fault.Conflict)
}
