package entry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

func (b *bed) tryPatch(id content.EntryID, w entry.Write) error {
	_, err := entry.Patch(b.Context(), b.Pool, b.Actor, b.ID, string(id), w)
	return err
}

func TestPatchReplacesTopLevelFieldsAndClearsWithNull(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One", "body": "text"}`)
	w := b.Patch(nil, e.ID, `{"body": null, "title": "Two"}`)
	if string(w.Revision.Fields) != `{"title":"Two","slug":"one"}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
	if err := b.tryPatch(e.ID, entrytest.Write(nil, `{"title": null}`)); !strings.Contains(entrytest.Codes(b.Refused(err, fault.ValidationFailed)), "fields.title required") {
		t.Fatal(err)
	}
	for _, data := range []string{`{"nosuch": 1}`, `{"nosuch": null}`} {
		if err := b.tryPatch(e.ID, entrytest.Write(nil, data)); !strings.Contains(entrytest.Codes(b.Refused(err, fault.ValidationFailed)), "fields.nosuch unknown_field") {
			t.Fatal(err)
		}
	}
	for _, data := range []string{`[]`, `{"title": "a", "title": "b"}`, `{"title": "\u0000"}`, `{`} {
		b.Refused(b.tryPatch(e.ID, entrytest.Write(nil, data)), fault.ValidationFailed)
	}
}

func TestEveryFaultOfAnEntryIsListed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", entrytest.Write(nil, `{"body": 1, "author": "x", "more": true}`))
	f := b.Refused(err, fault.ValidationFailed)
	if len(f.Items) != 4 {
		t.Fatalf("%s", entrytest.Codes(f))
	}
}

func TestExpectedRevisionMustBeTheHeadTheWriteBuildsOn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	set := b.Set("set")
	w := entrytest.Write(set, `{"title": "Two"}`)
	w.Expected = string(content.NewID[content.RevisionID]())
	b.Refused(b.tryPatch(e.ID, w), fault.StaleRevision)
	w.Expected = string(*e.PublishedRevisionID)
	b.OK(b.tryPatch(e.ID, w))
	b.Refused(b.tryPatch(e.ID, w), fault.StaleRevision) // the set's own draft is the head now
}

func TestReferencesOfADraft(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	author := b.Create(nil, "authors", `{"name": "A"}`).Entry // unpublished is fine in a draft
	post := b.Create(nil, "posts", fmt.Sprintf(`{"title": "One", "author": %q}`, author.ID)).Entry
	for _, id := range []content.EntryID{content.NewID[content.EntryID](), post.ID} {
		err := b.tryPatch(post.ID, entrytest.Write(nil, fmt.Sprintf(`{"author": %q}`, id)))
		if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != " fields.author reference; " {
			t.Fatal(got)
		}
	}
	// A reference that was accepted does not stand in the way of other edits when its target goes.
	staged, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(author.ID), "")
	b.OK(err)
	_, err = changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, string(staged.ChangeSet), true)
	b.OK(err)
	b.Patch(nil, post.ID, `{"body": "x"}`)
	err = b.tryPatch(post.ID, entrytest.Write(nil, fmt.Sprintf(`{"author": %q}`, author.ID)))
	if f := b.Refused(err, fault.ValidationFailed); entrytest.Codes(f) != " fields.author reference; " || !strings.Contains(f.Detail, "does not exist") {
		t.Fatal(f) // nor can it be referred to again
	}
}

func TestRemovalsAreStagedAndOverwriteDrafts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	draft := b.Create(nil, "posts", `{"title": "Draft"}`)
	_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(draft.Entry.ID), "")
	b.Refused(err, fault.Conflict)
	staged, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(draft.Entry.ID), "")
	b.OK(err)
	if staged.ChangeSet != draft.ChangeSet.ID || staged.Operation != content.OperationDelete {
		t.Fatalf("%+v", staged)
	}
	b.Publish(draft.ChangeSet)
	gone := b.Get(draft.Entry.ID)
	if gone.Status != entry.StatusDeleted {
		t.Fatalf("%+v", gone)
	}
	b.Refused(b.tryPatch(gone.ID, entrytest.Write(nil, `{"title": "x"}`)), fault.Conflict)
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), "")
	b.Refused(err, fault.Conflict)

	// An edit after a staged removal takes the removal's place.
	e := b.Published("posts", `{"title": "Live"}`)
	set := b.Set("set")
	_, err = entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(set.ID))
	b.OK(err)
	b.Patch(set, e.ID, `{"title": "Still live"}`)
	b.Publish(set)
	if e = b.Get(e.ID); string(e.Published.Fields) != `{"title":"Still live","slug":"live"}` {
		t.Fatalf("%s", e.Published.Fields)
	}
}

func TestNothingOfAnotherProjectIsThere(t *testing.T) {
	t.Parallel()
	stranger := newBed(t)
	e := stranger.Published("posts", `{"title": "Theirs"}`)
	p, err := project.Get(t.Context(), stranger.Pool, string(stranger.ID))
	stranger.OK(err)
	p, err = project.Create(t.Context(), stranger.Pool, stranger.Actor, p.Organization, project.NewProject{Slug: "other"})
	stranger.OK(err)
	b := &bed{&entrytest.Bed{TB: t, Pool: stranger.Pool, Actor: stranger.Actor, ID: p.ID}}
	b.Push(entrytest.Posts, entrytest.Authors)
	if _, err := entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), ""); !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
	set := stranger.Set("theirs")
	for _, err := range []error{
		b.tryPatch(e.ID, entrytest.Write(nil, `{"title": "x"}`)),
		b.tryPatch("ent_nonsense", entrytest.Write(nil, `{"title": "x"}`)),
		func() error {
			_, err := changeset.Get(t.Context(), b.Pool, b.ID, string(set.ID))
			return err
		}(),
		func() error {
			_, err := entry.GetRevision(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(*e.PublishedRevisionID))
			return err
		}(),
	} {
		b.Refused(err, fault.NotFound)
	}
}

func TestAConfinedActorTouchesItsCollectionsOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	post, author := b.Published("posts", `{"title": "One"}`), b.Published("authors", `{"name": "A"}`)
	set := b.Patch(nil, post.ID, `{"title": "Two"}`).ChangeSet
	b.Actor = &access.Actor{Type: access.ActorAPIKey, ID: "key_x", Grant: &credential.Grant{Collections: []string{"authors"}}}
	b.Patch(nil, author.ID, `{"name": "B"}`)
	b.Refused(b.tryPatch(post.ID, entrytest.Write(nil, `{"title": "Three"}`)), fault.Forbidden)
	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", entrytest.Write(nil, `{"title": "x"}`))
	b.Refused(err, fault.Forbidden)
	_, err = entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(post.ID), "")
	b.Refused(err, fault.Forbidden)
	_, err = b.TryPublish(set)
	b.Refused(err, fault.Forbidden)
	list, err := entry.List(t.Context(), b.Pool, b.Actor, b.ID, entry.Filter{}, postgres.Page{})
	b.OK(err)
	if len(list.Items) != 1 || list.Items[0].ID != author.ID {
		t.Fatalf("%d entries", len(list.Items))
	}
}

func TestTheSetsViewOfAnEntry(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	set, other := b.Set("set"), b.Set("other")
	w := b.Patch(set, e.ID, `{"title": "Two"}`)
	b.Patch(other, e.ID, `{"title": "Three"}`)
	view, err := entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(set.ID))
	b.OK(err)
	if view.Draft == nil || view.Draft.ID != w.Revision.ID || view.Staged == nil || *view.Staged.Base != *e.PublishedRevisionID {
		t.Fatalf("%+v", view)
	}
	view, err = entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(b.Set("empty").ID))
	b.OK(err)
	if view.Draft != nil || view.Staged != nil || view.Published == nil {
		t.Fatalf("%+v", view)
	}
}

func TestListsByStatusNewestFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	draft := b.Create(nil, "posts", `{"title": "Draft"}`).Entry
	live := b.Published("posts", `{"title": "Live"}`)
	changed := b.Published("posts", `{"title": "Changed"}`)
	b.Patch(nil, changed.ID, `{"body": "x"}`)
	away := b.Published("authors", `{"name": "Away"}`)
	staged, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(away.ID), "")
	b.OK(err)
	_, err = changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, string(staged.ChangeSet), true)
	b.OK(err)
	list := func(f entry.Filter) string {
		t.Helper()
		var got []string
		for page := (postgres.Page{Limit: 1}); ; {
			l, err := entry.List(t.Context(), b.Pool, b.Actor, b.ID, f, page)
			b.OK(err)
			for _, e := range l.Items {
				got = append(got, map[content.EntryID]string{draft.ID: "draft", live.ID: "live", changed.ID: "changed", away.ID: "away"}[e.ID]+"="+string(e.Status))
			}
			if page.Cursor = l.NextCursor; page.Cursor == "" {
				return strings.Join(got, " ")
			}
		}
	}
	for _, test := range []struct {
		filter entry.Filter
		want   string
	}{
		{entry.Filter{}, "away=unpublished changed=changed live=published draft=draft"},
		{entry.Filter{Collection: "authors"}, "away=unpublished"},
		{entry.Filter{Status: entry.StatusDraft}, "draft=draft"},
		{entry.Filter{Status: entry.StatusPublished}, "changed=changed live=published"},
		{entry.Filter{Status: entry.StatusChanged}, "changed=changed"},
		{entry.Filter{Status: entry.StatusUnpublished, Collection: "posts"}, ""},
		{entry.Filter{Status: entry.StatusDeleted}, ""},
	} {
		if got := list(test.filter); got != test.want {
			t.Errorf("%+v: %s, want %s", test.filter, got, test.want)
		}
	}
	_, err = entry.List(t.Context(), b.Pool, b.Actor, b.ID, entry.Filter{Status: "odd"}, postgres.Page{})
	b.Refused(err, fault.ValidationFailed)
	_, err = entry.List(t.Context(), b.Pool, b.Actor, b.ID, entry.Filter{Collection: "odd"}, postgres.Page{})
	b.Refused(err, fault.NotFound)
	_, err = entry.List(t.Context(), b.Pool, b.Actor, b.ID, entry.Filter{}, postgres.Page{Cursor: "%"})
	b.Refused(err, fault.ValidationFailed)
}

func TestNumbersKeepTheirText(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "facts", "fields": {"n": {"type": "number"}, "any": {"type": "json"}}}`)
	const data = `{"n":123456789012345678901234567890.10,"any":{"z":1e5,"a":[9007199254740993]}}`
	w, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "facts", entry.Write{Data: jsontext.Value(data)})
	b.OK(err)
	if string(w.Revision.Fields) != data || string(b.Get(w.Entry.ID).Draft.Fields) != data {
		t.Fatalf("%s", w.Revision.Fields)
	}
}

func TestDefaultsAreGivenAtCreation(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "pages", "fields": {"kind": {"type": "text", "default": "plain"}, "title": {"type": "text"}}}`)
	if w := b.Create(nil, "pages", `{"title": "x"}`); string(w.Revision.Fields) != `{"kind":"plain","title":"x"}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
	if w := b.Create(nil, "pages", `{"kind": null}`); string(w.Revision.Fields) != `{}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
}

func TestRevisionsAreKeptNewestFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Create(nil, "posts", `{"title": "One"}`)
	second := b.Patch(nil, w.Entry.ID, `{"title": "Two"}`)
	list, err := entry.Revisions(t.Context(), b.Pool, b.Actor, b.ID, string(w.Entry.ID), postgres.Page{})
	b.OK(err)
	if len(list.Items) != 2 || list.Items[0].ID != second.Revision.ID || *list.Items[0].Parent != w.Revision.ID {
		t.Fatalf("%+v", list.Items)
	}
	r, err := entry.GetRevision(t.Context(), b.Pool, b.Actor, b.ID, string(w.Entry.ID), string(w.Revision.ID))
	b.OK(err)
	if string(r.Fields) != `{"title":"One","slug":"one"}` || r.ChangeSet != w.ChangeSet.ID {
		t.Fatalf("%+v", r)
	}
	_, err = entry.GetRevision(t.Context(), b.Pool, b.Actor, b.ID, string(w.Entry.ID), "rev_odd")
	b.Refused(err, fault.NotFound)
}
