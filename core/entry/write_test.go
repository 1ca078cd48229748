package entry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

func (b *bed) tryPatch(id content.EntryID, w entry.Write) error {
	_, err := entry.Patch(b.Context(), b.pool, b.actor, b.id, string(id), w)
	return err
}

func TestPatchReplacesTopLevelFieldsAndClearsWithNull(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One", "body": "text"}`)
	w := b.patch(nil, e.ID, `{"body": null, "title": "Two"}`)
	if string(w.Revision.Fields) != `{"title":"Two","slug":"one"}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
	if err := b.tryPatch(e.ID, write(nil, `{"title": null}`)); !strings.Contains(codes(b.refused(err, fault.ValidationFailed)), "fields.title required") {
		t.Fatal(err)
	}
	for _, data := range []string{`{"nosuch": 1}`, `{"nosuch": null}`} {
		if err := b.tryPatch(e.ID, write(nil, data)); !strings.Contains(codes(b.refused(err, fault.ValidationFailed)), "fields.nosuch unknown_field") {
			t.Fatal(err)
		}
	}
	for _, data := range []string{`[]`, `{"title": "a", "title": "b"}`, `{"title": "\u0000"}`, `{`} {
		b.refused(b.tryPatch(e.ID, write(nil, data)), fault.ValidationFailed)
	}
}

func TestEveryFaultOfAnEntryIsListed(t *testing.T) {
	b := newBed(t)
	_, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", write(nil, `{"body": 1, "author": "x", "more": true}`))
	f := b.refused(err, fault.ValidationFailed)
	if len(f.Items) != 4 {
		t.Fatalf("%s", codes(f))
	}
}

func TestExpectedRevisionMustBeTheHeadTheWriteBuildsOn(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	set := b.set("set")
	w := write(set, `{"title": "Two"}`)
	w.Expected = string(content.NewID[content.RevisionID]())
	b.refused(b.tryPatch(e.ID, w), fault.StaleRevision)
	w.Expected = string(*e.PublishedRevisionID)
	b.ok(b.tryPatch(e.ID, w))
	b.refused(b.tryPatch(e.ID, w), fault.StaleRevision) // the set's own draft is the head now
}

func TestReferencesOfADraft(t *testing.T) {
	b := newBed(t)
	author := b.create(nil, "authors", `{"name": "A"}`).Entry // unpublished is fine in a draft
	post := b.create(nil, "posts", fmt.Sprintf(`{"title": "One", "author": %q}`, author.ID)).Entry
	for _, id := range []content.EntryID{content.NewID[content.EntryID](), post.ID} {
		err := b.tryPatch(post.ID, write(nil, fmt.Sprintf(`{"author": %q}`, id)))
		if got := codes(b.refused(err, fault.ValidationFailed)); got != " fields.author reference; " {
			t.Fatal(got)
		}
	}
	// A reference that was accepted does not stand in the way of other edits when its target goes.
	staged, err := entry.Delete(t.Context(), b.pool, b.actor, b.id, string(author.ID), "")
	b.ok(err)
	_, err = changeset.Publish(t.Context(), b.pool, b.actor, b.id, string(staged.ChangeSet), true)
	b.ok(err)
	b.patch(nil, post.ID, `{"body": "x"}`)
}

func TestRemovalsAreStagedAndOverwriteDrafts(t *testing.T) {
	b := newBed(t)
	draft := b.create(nil, "posts", `{"title": "Draft"}`)
	_, err := entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(draft.Entry.ID), "")
	b.refused(err, fault.Conflict)
	staged, err := entry.Delete(t.Context(), b.pool, b.actor, b.id, string(draft.Entry.ID), "")
	b.ok(err)
	if staged.ChangeSet != draft.ChangeSet.ID || staged.Operation != content.OperationDelete {
		t.Fatalf("%+v", staged)
	}
	b.publish(draft.ChangeSet)
	gone := b.get(draft.Entry.ID)
	if gone.Status != entry.StatusDeleted {
		t.Fatalf("%+v", gone)
	}
	b.refused(b.tryPatch(gone.ID, write(nil, `{"title": "x"}`)), fault.Conflict)
	_, err = entry.Delete(t.Context(), b.pool, b.actor, b.id, string(gone.ID), "")
	b.refused(err, fault.Conflict)

	// An edit after a staged removal takes the removal's place.
	e := b.published("posts", `{"title": "Live"}`)
	set := b.set("set")
	_, err = entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(e.ID), string(set.ID))
	b.ok(err)
	b.patch(set, e.ID, `{"title": "Still live"}`)
	b.publish(set)
	if e = b.get(e.ID); string(e.Published.Fields) != `{"title":"Still live","slug":"live"}` {
		t.Fatalf("%s", e.Published.Fields)
	}
}

func TestNothingOfAnotherProjectIsThere(t *testing.T) {
	stranger := newBed(t)
	e := stranger.published("posts", `{"title": "Theirs"}`)
	p, err := project.Get(t.Context(), stranger.pool, string(stranger.id))
	stranger.ok(err)
	p, err = project.Create(t.Context(), stranger.pool, stranger.actor, p.Organization, project.NewProject{Slug: "other"})
	stranger.ok(err)
	b := &bed{TB: t, pool: stranger.pool, actor: stranger.actor, id: p.ID}
	b.push(posts, authors)
	if _, err := entry.Get(t.Context(), b.pool, b.actor, b.id, string(e.ID), ""); !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
	set := stranger.set("theirs")
	for _, err := range []error{
		b.tryPatch(e.ID, write(nil, `{"title": "x"}`)),
		b.tryPatch("ent_nonsense", write(nil, `{"title": "x"}`)),
		func() error {
			_, err := changeset.Get(t.Context(), b.pool, b.id, string(set.ID))
			return err
		}(),
		func() error {
			_, err := entry.GetRevision(t.Context(), b.pool, b.actor, b.id, string(e.ID), string(*e.PublishedRevisionID))
			return err
		}(),
	} {
		b.refused(err, fault.NotFound)
	}
}

func TestAConfinedActorTouchesItsCollectionsOnly(t *testing.T) {
	b := newBed(t)
	post, author := b.published("posts", `{"title": "One"}`), b.published("authors", `{"name": "A"}`)
	set := b.patch(nil, post.ID, `{"title": "Two"}`).ChangeSet
	b.actor = &access.Actor{Type: access.ActorAPIKey, ID: "key_x", Grant: &credential.Grant{Collections: []string{"authors"}}}
	b.patch(nil, author.ID, `{"name": "B"}`)
	b.refused(b.tryPatch(post.ID, write(nil, `{"title": "Three"}`)), fault.Forbidden)
	_, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", write(nil, `{"title": "x"}`))
	b.refused(err, fault.Forbidden)
	_, err = entry.Get(t.Context(), b.pool, b.actor, b.id, string(post.ID), "")
	b.refused(err, fault.Forbidden)
	_, err = b.tryPublish(set)
	b.refused(err, fault.Forbidden)
	list, err := entry.List(t.Context(), b.pool, b.actor, b.id, entry.Filter{}, postgres.Page{})
	b.ok(err)
	if len(list.Items) != 1 || list.Items[0].ID != author.ID {
		t.Fatalf("%d entries", len(list.Items))
	}
}

func TestTheSetsViewOfAnEntry(t *testing.T) {
	b := newBed(t)
	e := b.published("posts", `{"title": "One"}`)
	set, other := b.set("set"), b.set("other")
	w := b.patch(set, e.ID, `{"title": "Two"}`)
	b.patch(other, e.ID, `{"title": "Three"}`)
	view, err := entry.Get(t.Context(), b.pool, b.actor, b.id, string(e.ID), string(set.ID))
	b.ok(err)
	if view.Draft == nil || view.Draft.ID != w.Revision.ID || view.Staged == nil || *view.Staged.Base != *e.PublishedRevisionID {
		t.Fatalf("%+v", view)
	}
	view, err = entry.Get(t.Context(), b.pool, b.actor, b.id, string(e.ID), string(b.set("empty").ID))
	b.ok(err)
	if view.Draft != nil || view.Staged != nil || view.Published == nil {
		t.Fatalf("%+v", view)
	}
}

func TestListsByStatusNewestFirst(t *testing.T) {
	b := newBed(t)
	draft := b.create(nil, "posts", `{"title": "Draft"}`).Entry
	live := b.published("posts", `{"title": "Live"}`)
	changed := b.published("posts", `{"title": "Changed"}`)
	b.patch(nil, changed.ID, `{"body": "x"}`)
	away := b.published("authors", `{"name": "Away"}`)
	staged, err := entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(away.ID), "")
	b.ok(err)
	_, err = changeset.Publish(t.Context(), b.pool, b.actor, b.id, string(staged.ChangeSet), true)
	b.ok(err)
	list := func(f entry.Filter) string {
		t.Helper()
		var got []string
		for page := (postgres.Page{Limit: 1}); ; {
			l, err := entry.List(t.Context(), b.pool, b.actor, b.id, f, page)
			b.ok(err)
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
	_, err = entry.List(t.Context(), b.pool, b.actor, b.id, entry.Filter{Status: "odd"}, postgres.Page{})
	b.refused(err, fault.ValidationFailed)
	_, err = entry.List(t.Context(), b.pool, b.actor, b.id, entry.Filter{Collection: "odd"}, postgres.Page{})
	b.refused(err, fault.NotFound)
	_, err = entry.List(t.Context(), b.pool, b.actor, b.id, entry.Filter{}, postgres.Page{Cursor: "%"})
	b.refused(err, fault.ValidationFailed)
}

func TestNumbersKeepTheirText(t *testing.T) {
	b := newBed(t)
	b.push(posts, authors, `{"name": "facts", "fields": {"n": {"type": "number"}, "any": {"type": "json"}}}`)
	const data = `{"n":123456789012345678901234567890.10,"any":{"z":1e5,"a":[9007199254740993]}}`
	w, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "facts", entry.Write{Data: jsontext.Value(data)})
	b.ok(err)
	if string(w.Revision.Fields) != data || string(b.get(w.Entry.ID).Draft.Fields) != data {
		t.Fatalf("%s", w.Revision.Fields)
	}
}

func TestDefaultsAreGivenAtCreation(t *testing.T) {
	b := newBed(t)
	b.push(posts, authors, `{"name": "pages", "fields": {"kind": {"type": "text", "default": "plain"}, "title": {"type": "text"}}}`)
	if w := b.create(nil, "pages", `{"title": "x"}`); string(w.Revision.Fields) != `{"kind":"plain","title":"x"}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
	if w := b.create(nil, "pages", `{"kind": null}`); string(w.Revision.Fields) != `{}` {
		t.Fatalf("%s", w.Revision.Fields)
	}
}

func TestRevisionsAreKeptNewestFirst(t *testing.T) {
	b := newBed(t)
	w := b.create(nil, "posts", `{"title": "One"}`)
	second := b.patch(nil, w.Entry.ID, `{"title": "Two"}`)
	list, err := entry.Revisions(t.Context(), b.pool, b.actor, b.id, string(w.Entry.ID), postgres.Page{})
	b.ok(err)
	if len(list.Items) != 2 || list.Items[0].ID != second.Revision.ID || *list.Items[0].Parent != w.Revision.ID {
		t.Fatalf("%+v", list.Items)
	}
	r, err := entry.GetRevision(t.Context(), b.pool, b.actor, b.id, string(w.Entry.ID), string(w.Revision.ID))
	b.ok(err)
	if string(r.Fields) != `{"title":"One","slug":"one"}` || r.ChangeSet != w.ChangeSet.ID {
		t.Fatalf("%+v", r)
	}
	_, err = entry.GetRevision(t.Context(), b.pool, b.actor, b.id, string(w.Entry.ID), "rev_odd")
	b.refused(err, fault.NotFound)
}
