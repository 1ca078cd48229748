package entry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// A revert restores the state before a release, and the revert of that revert the state after it, again and again: whether an entry is
// published, unpublished or deleted, and what it says.
func TestRevertsOfRevertsGoBackAndForth(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	state := func(id content.EntryID) string {
		e := b.Get(id)
		if e.Published == nil {
			return string(e.Status)
		}
		return fmt.Sprintf("%s %s", e.Status, e.Published.Fields)
	}
	remove := func(id content.EntryID, set *changeset.ChangeSet) error {
		_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		return err
	}
	unpublish := func(id content.EntryID, set *changeset.ChangeSet) error {
		_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		return err
	}
	stage := func(id content.EntryID, do func(id content.EntryID, set *changeset.ChangeSet) error) *changeset.Published {
		set := b.Set("Change")
		b.OK(do(id, set))
		return b.Publish(set)
	}
	for name, c := range map[string]struct {
		former        func(id content.EntryID, set *changeset.ChangeSet) error // done to the published entry before the release
		do            func(id content.EntryID, set *changeset.ChangeSet) error
		before, after string
	}{
		"update": {
			do: func(id content.EntryID, set *changeset.ChangeSet) error {
				b.Patch(set, id, `{"body": "B"}`)
				return nil
			},
			before: `published {"title":"update","slug":"update"}`, after: `published {"title":"update","slug":"update","body":"B"}`,
		},
		"unpublish":             {do: unpublish, before: `published {"title":"unpublish","slug":"unpublish"}`, after: "unpublished"},
		"delete":                {do: remove, before: `published {"title":"delete","slug":"delete"}`, after: "deleted"},
		"delete of unpublished": {former: unpublish, do: remove, before: "unpublished", after: "deleted"},
		"undelete": {
			former: remove,
			do: func(id content.EntryID, set *changeset.ChangeSet) error {
				_, err := entry.Undelete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
				return err
			},
			before: "deleted", after: `published {"title":"undelete","slug":"undelete"}`,
		},
	} {
		id := b.Published("posts", fmt.Sprintf(`{"title": %q}`, name)).ID
		if c.former != nil {
			stage(id, c.former)
		}
		b.backAndForth(name, stage(id, c.do), func() string { return state(id) }, c.before, c.after)
	}
	made := b.Create(nil, "posts", `{"title": "create"}`)
	b.backAndForth("create", b.Publish(made.ChangeSet), func() string { return state(made.Entry.ID) }, "unpublished", `published {"title":"create","slug":"create"}`)
	draft := b.Create(nil, "posts", `{"title": "draft"}`)
	b.OK(remove(draft.Entry.ID, draft.ChangeSet))
	b.backAndForth("delete of a draft", b.Publish(draft.ChangeSet), func() string { return state(draft.Entry.ID) }, "draft", "deleted")
}

// An unpublished entry that a revert brings back is unpublished since its publication ended, and there as soon as that is staged. Its
// draft must fit the schema of now.
func TestAnUnpublishedEntryComesBackAsItWas(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := b.Published("authors", `{"name": "Somebody"}`).ID
	for _, stage := range []func(context.Context, *pgxpool.Pool, *access.Actor, content.ProjectID, string, string) (entry.Staged, error){entry.Unpublish, entry.Delete} {
		set := b.Set("removal")
		_, err := stage(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		b.OK(err)
		b.Publish(set)
	}
	ended := b.Get(id).UnpublishedAt
	stricter := strings.Replace(entrytest.Authors, `"required": true`, `"required": true, "maxLength": 7`, 1)
	b.Push(entrytest.Posts, stricter)
	_, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "3", "", false)
	if got, want := entrytest.Codes(b.Refused(err, fault.ValidationFailed)), string(id)+" fields.name max_length; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b.Push(entrytest.Posts, entrytest.Authors)
	set, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "3", "", false)
	b.OK(err)
	if e := b.Get(id); e.Status != entry.StatusUnpublished {
		t.Errorf("staged: %s", e.Status)
	}
	b.Publish(set)
	if e := b.Get(id); ended.IsZero() || !e.UnpublishedAt.Equal(ended) {
		t.Errorf("unpublished at %s, and %s after the revert", ended, e.UnpublishedAt)
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM event WHERE type = 'entry.unpublished'`); n != 1 {
		t.Errorf("%d events say that it was unpublished", n)
	}
}

// backAndForth reverts a release, and each time the revert.
func (b *bed) backAndForth(what string, p *changeset.Published, state func() string, before, after string) {
	b.Helper()
	if got := state(); got != after {
		b.Fatalf("%s leads to %s, not %s", what, got, after)
	}
	for n, want := range []string{before, after, before, after} {
		set, err := entry.Revert(b.Context(), b.Pool, b.Actor, b.ID, fmt.Sprint(p.Release.Number), "", false)
		b.OK(err)
		p = b.Publish(set)
		if got := state(); got != want {
			b.Errorf("%s after %d reverts: %s, want %s", what, n+1, got, want)
		}
	}
}

// A revision with values of fields that the schema has no more is neither restored nor reverted to, which would lose them, and nothing
// is written. Only an undelete leaves them out: the entry could not come back otherwise.
func TestValuesOfRemovedFieldsAreNotLost(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	push := func(fields string) {
		p := entrytest.Proposal(`{"name": "pages", "fields": {` + fields + `}}`)
		p.AllowDestructive = true
		_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
		b.OK(err)
	}
	push(`"a": {"type": "text"}, "gone": {"type": "text"}, "o": {"type": "object", "fields": {"x": {"type": "text"}, "gone": {"type": "text"}}}`)
	id := b.Published("pages", `{"a": "1", "gone": "1", "o": {"x": "1", "gone": "1"}}`).ID
	former := b.Get(id).PublishedRevisionID
	b.Publish(b.Patch(nil, id, `{"a": "2", "gone": null, "o": {"x": "2"}}`).ChangeSet)
	push(`"a": {"type": "text"}, "o": {"type": "object", "fields": {"x": {"type": "text"}}}`)
	want := fmt.Sprintf("%[1]s fields.gone unknown_field; %[1]s fields.o.gone unknown_field; ", id)

	_, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "2", "", false)
	if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != want {
		t.Errorf("reverted: %s, want %s", got, want)
	}
	_, err = entry.Restore(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(*former), "")
	f := b.Refused(err, fault.ValidationFailed)
	if got, want := entrytest.Codes(f), strings.ReplaceAll(want, string(id), ""); got != want {
		t.Errorf("restored: %s, want %s", got, want)
	}
	if !strings.Contains(f.Detail, "fields.gone: the schema has no such field any more") {
		t.Error(f.Detail)
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM change_set WHERE status = 'open'`); n != 0 {
		t.Errorf("%d change sets are left", n)
	}
	push(`"a": {"type": "text"}`)
	set := b.Set("deletion")
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
	b.OK(err)
	b.Publish(set)
	w, err := b.undelete(id)
	b.OK(err)
	if got, want := string(w.Revision.Fields), `{"a":"2"}`; got != want {
		t.Errorf("undeleted: %s, want %s", got, want)
	}
}
