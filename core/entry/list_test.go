package entry_test

import (
	"slices"
	"testing"
	"time"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/shared/content"
)

func (b *bed) list(f entry.Filter) []content.EntryID {
	b.Helper()
	page, err := entry.List(b.Context(), b.Pool, b.Actor, b.ID, f, postgres.Page{Limit: 100})
	b.OK(err)
	ids := []content.EntryID{}
	for _, e := range page.Items {
		ids = append(ids, e.ID)
	}
	return ids
}

// An entry counts as updated at the time of its newest revision, or at that of the release that changed it last where that came later.
func TestUpdatedSince(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	at := func(minute int) *time.Time { return new(time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)) }
	written := func(w *entry.Written, minute int) *entry.Written {
		_, err := b.Pool.Exec(t.Context(), `UPDATE revision SET created_at = $2 WHERE id = $1`, w.Revision.ID, at(minute))
		b.OK(err)
		return w
	}
	draft := written(b.Create(nil, "posts", `{"title": "Draft"}`), 1)
	live := written(b.Create(nil, "posts", `{"title": "Live"}`), 2)
	edited := written(b.Create(nil, "authors", `{"name": "Edited"}`), 3)
	publish := func(set *changeset.ChangeSet, minute int) {
		b.Publish(set)
		_, err := b.Pool.Exec(t.Context(), `UPDATE release SET published_at = $2 WHERE change_set_id = $1`, set.ID, at(minute))
		b.OK(err)
		_, err = b.Pool.Exec(t.Context(), `UPDATE entry SET deleted_at = $1 WHERE deleted_at IS NOT NULL`, at(0))
		b.OK(err)
	}
	publish(live.ChangeSet, 5)
	publish(edited.ChangeSet, 4)
	written(b.Patch(nil, edited.Entry.ID, `{"name": "Edited again"}`), 7)
	e, l, d := edited.Entry.ID, live.Entry.ID, draft.Entry.ID
	for minute, want := range [][]content.EntryID{0: {e, l, d}, 1: {e, l, d}, 2: {e, l}, 5: {e, l}, 6: {e}, 7: {e}, 8: {}} {
		if got := b.list(entry.Filter{UpdatedSince: at(minute)}); want != nil && !slices.Equal(got, want) {
			t.Errorf("since minute %d: %v, want %v", minute, got, want)
		}
	}
	if got := b.list(entry.Filter{UpdatedSince: at(5), Collection: "authors"}); !slices.Equal(got, []content.EntryID{e}) {
		t.Errorf("of authors: %v", got)
	}

	set := b.Set("Away")
	_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(l), string(set.ID))
	b.OK(err)
	publish(set, 8)
	set = b.Set("Gone")
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(e), string(set.ID))
	b.OK(err)
	publish(set, 9)
	for minute, want := range [][]content.EntryID{7: {l}, 8: {l}, 9: {}} {
		if got := b.list(entry.Filter{UpdatedSince: at(minute)}); want != nil && !slices.Equal(got, want) {
			t.Errorf("unpublished, since minute %d: %v, want %v", minute, got, want)
		}
	}
	for minute, want := range [][]content.EntryID{8: {e}, 9: {e}, 10: {}} {
		if got := b.list(entry.Filter{UpdatedSince: at(minute), Status: entry.StatusDeleted}); want != nil && !slices.Equal(got, want) {
			t.Errorf("deleted, since minute %d: %v, want %v", minute, got, want)
		}
	}

	_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(draft.ChangeSet.ID))
	b.OK(err)
	_, err = entry.Discard(t.Context(), b.Pool, b.Actor, b.ID, string(d))
	b.OK(err)
	_, err = b.Pool.Exec(t.Context(), `UPDATE entry SET deleted_at = $2 WHERE id = $1`, d, at(10))
	b.OK(err)
	if got := b.list(entry.Filter{UpdatedSince: at(10), Status: entry.StatusDeleted}); !slices.Equal(got, []content.EntryID{d}) {
		t.Errorf("discarded, since minute 10: %v", got)
	}
}

func TestUpdatedByIsTheAuthorOfTheNewestRevision(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := entrytest.One[string](b.Bed, `SELECT id FROM api_key`)
	by := func(actor string) { b.Actor = &access.Actor{Type: access.ActorAPIKey, ID: actor} }
	mine, theirs := first, string(content.NewID[content.KeyID]())
	by(mine)
	one, other := b.Create(nil, "posts", `{"title": "One"}`).Entry.ID, b.Create(nil, "posts", `{"title": "Other"}`).Entry.ID
	by(theirs)
	b.Patch(nil, other, `{"title": "Other again"}`)
	b.Actor = access.System()
	b.Create(nil, "posts", `{"title": "Of the system"}`)
	for author, want := range map[string]content.EntryID{mine: one, theirs: other} {
		if got := b.list(entry.Filter{UpdatedBy: &author}); !slices.Equal(got, []content.EntryID{want}) {
			t.Errorf("by %s: %v, want %s", author, got, want)
		}
	}
}

// A slug finds who is published with it, who is a draft with it, and whom an open set is to give it, and no one who had it once. Among
// deleted entries it finds those that had it last, also where another entry has it now.
func TestEntriesBySlug(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	live := b.Create(nil, "posts", `{"title": "Live", "slug": "live"}`)
	b.Publish(live.ChangeSet)
	draft := b.Create(nil, "posts", `{"title": "Draft", "slug": "draft"}`)
	moving := b.Set("Moving")
	b.Patch(moving, live.Entry.ID, `{"slug": "moved"}`)
	twin := b.Create(nil, "posts", `{"title": "Twin", "slug": "moved"}`)
	l, d, w := live.Entry.ID, draft.Entry.ID, twin.Entry.ID
	found := func(want map[string][]content.EntryID) {
		t.Helper()
		for slug, ids := range want {
			if got := b.list(entry.Filter{Slug: slug}); !slices.Equal(got, ids) {
				t.Errorf("%s: %v, want %v", slug, got, ids)
			}
		}
	}
	found(map[string][]content.EntryID{"live": {l}, "draft": {d}, "moved": {w, l}, "posts/live": {}, "Twin": {}})
	if got := b.list(entry.Filter{Slug: "live", Collection: "posts", Status: entry.StatusChanged}); !slices.Equal(got, []content.EntryID{l}) {
		t.Errorf("among what is changed: %v", got)
	}
	if got := b.list(entry.Filter{Slug: "live", Collection: "authors"}); len(got) > 0 {
		t.Errorf("of authors: %v", got)
	}

	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(twin.ChangeSet.ID))
	b.OK(err)
	_, err = entry.Discard(t.Context(), b.Pool, b.Actor, b.ID, string(w))
	b.OK(err)
	b.Publish(moving)
	found(map[string][]content.EntryID{"live": {}, "moved": {l}})

	deletion := b.Set("Deletion")
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(l), string(deletion.ID))
	b.OK(err)
	b.Publish(deletion)
	heir := b.Create(nil, "posts", `{"title": "Heir", "slug": "moved"}`).Entry.ID
	found(map[string][]content.EntryID{"moved": {heir}})
	for slug, want := range map[string][]content.EntryID{"live": {}, "draft": {}, "moved": {w, l}} {
		if got := b.list(entry.Filter{Slug: slug, Status: entry.StatusDeleted}); !slices.Equal(got, want) {
			t.Errorf("deleted with %s: %v, want %v", slug, got, want)
		}
	}
}
