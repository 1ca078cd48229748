package entry_test

import (
	"slices"
	"testing"
	"time"

	"svc/core/access"
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

// An entry counts as updated at the time of its newest revision, or at that of its publication where that came later.
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
	for minute, w := range map[int]*entry.Written{5: live, 4: edited} {
		b.Publish(w.ChangeSet)
		_, err := b.Pool.Exec(t.Context(), `UPDATE release SET published_at = $2 WHERE change_set_id = $1`, w.ChangeSet.ID, at(minute))
		b.OK(err)
	}
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
