package entry_test

import (
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/content"
	"svc/shared/fault"
)

// A slug that is derived or numbered is free among published ones and all drafts: of the same set, of other open sets, whether of new
// entries or of published ones, and of entries that no set has, unpublished or never published.
func TestANumberedSlugAvoidsEveryDraft(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Published("posts", `{"title": "One"}`)
	b.Create(nil, "posts", `{"title": "Draft", "slug": "one-2"}`)
	renamed := b.Published("posts", `{"title": "Renamed"}`).ID
	b.Patch(b.Set("Rename"), renamed, `{"slug": "one-3"}`)
	unpublished := b.Published("posts", `{"title": "Unpublished", "slug": "one-4"}`).ID
	away := b.Set("Away")
	_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(unpublished), string(away.ID))
	b.OK(err)
	b.Publish(away)
	orphan := b.Create(b.Set("Closed"), "posts", `{"title": "Orphan", "slug": "one-5"}`)
	_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(orphan.ChangeSet.ID))
	b.OK(err)
	same := b.Set("Same set")
	b.Create(same, "posts", `{"title": "Mine", "slug": "one-6"}`)
	duplicate := func(id content.EntryID, set string) string {
		w, err := entry.Duplicate(t.Context(), b.Pool, b.Actor, b.ID, string(id), set)
		b.OK(err)
		return *w.Revision.Slug
	}
	if got := *b.Create(same, "posts", `{"title": "One"}`).Revision.Slug; got != "one-7" {
		t.Errorf("created with %s", got)
	}
	imported := b.imported("posts", entry.ImportOptions{ChangeSet: string(same.ID)}, row(`{"title": "One", "body": "New"}`))
	if got := *imported.Rows[0].Slug; got != "one-8" {
		t.Errorf("imported with %s", got)
	}
	if got := *b.Patch(b.Set("Cleared"), renamed, `{"title": "One", "slug": null}`).Revision.Slug; got != "one-3" {
		t.Errorf("derived again: %s, not the entry's own", got)
	}
	for id, want := range map[content.EntryID]string{unpublished: "one-4-2", orphan.Entry.ID: "one-5-2"} {
		if got := duplicate(id, ""); got != want {
			t.Errorf("duplicated as %s, want %s", got, want)
		}
	}
	for _, want := range []string{"one-4-3", "one-4-4"} { // of two sets
		if got := duplicate(unpublished, ""); got != want {
			t.Errorf("duplicated again as %s, want %s", got, want)
		}
	}
}

// A slug that is required and missing says why none was derived.
func TestARequiredSlugSaysWhyNoneIsDerived(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const notes = `{"name": "notes", "titleField": "title", "fields": {"title": {"type": "text"}, "slug": {"type": "slug", "required": true}}}`
	b.Push(entrytest.Posts, entrytest.Authors, notes)
	for data, want := range map[string]string{
		`{"title": "!!!"}`: `is required, and none can be derived from title, which is "!!!": give one`,
		`{}`:               `is required: give one, or a title to derive it from`,
	} {
		_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, data))
		_, imported := b.tryImport("notes", entry.ImportOptions{}, row(data))
		for _, err := range []error{err, imported} {
			if f := b.Refused(err, fault.ValidationFailed); len(f.Items) != 1 || f.Items[0].Message != want || f.Items[0].Code != "required" {
				t.Errorf("%s: %+v", data, f.Items)
			}
		}
	}
}
