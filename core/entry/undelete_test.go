package entry_test

import (
	"sync"
	"testing"

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
