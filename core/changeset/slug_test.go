package changeset_test

import (
	"strings"
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/fault"
)

func slug(e *entry.Entry) string {
	if e.Draft == nil || e.Draft.Slug == nil {
		return ""
	}
	return *e.Draft.Slug
}

func TestSlugsSwapInsideOneRelease(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, two := b.Published("posts", `{"title": "One"}`), b.Published("posts", `{"title": "Two"}`)
	set := b.Set("swap")
	_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(one.ID), entrytest.Write(set, `{"slug": "two"}`))
	f, id := b.Refused(err, fault.Conflict), string(two.ID)
	if want := "to swap slugs, in one change set give " + id + ` another slug, then this entry "two", then ` + id + ` "one"`; !strings.HasSuffix(f.Detail, want) {
		t.Errorf("%q does not end with %q", f.Detail, want)
	}
	b.Patch(set, two.ID, `{"slug": "between"}`)
	b.Patch(set, one.ID, `{"slug": "two"}`)
	b.Patch(set, two.ID, `{"slug": "one"}`)
	b.Publish(set)
	if a, z := slug(b.Get(one.ID)), slug(b.Get(two.ID)); a != "two" || z != "one" {
		t.Fatalf("%s and %s", a, z)
	}
}

// Uniqueness cannot be promised early: two sets may both ask for a slug, and the second to publish learns it. A derived slug avoids
// that.
func TestSlugTakenByAnotherSet(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.Create(nil, "posts", `{"title": "Same"}`)
	if derived := b.Create(nil, "posts", `{"title": "Same"}`); slug(derived.Entry) != "same-2" {
		t.Fatal(slug(derived.Entry))
	}
	second := b.Create(nil, "posts", `{"title": "Same", "slug": "same"}`)
	b.Publish(first.ChangeSet)
	if got := b.findings(second.ChangeSet); got != "slug slug_taken;" {
		t.Fatal(got)
	}
	b.Patch(nil, second.Entry.ID, `{"slug": "other"}`)
	b.Publish(second.ChangeSet)
}

func TestSlugsAtWrite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.Published("posts", `{"title": "Ünïcode & Ärger"}`)
	if slug(first) != "unicode-arger" {
		t.Fatalf("derived %q", slug(first))
	}
	set := b.Set("set")
	if got := slug(b.Create(set, "posts", `{"title": "Ünïcode & Ärger"}`).Entry); got != "unicode-arger-2" {
		t.Fatalf("derived %q beside a published one", got)
	}
	if got := slug(b.Create(set, "posts", `{"title": "Ünïcode & Ärger"}`).Entry); got != "unicode-arger-3" {
		t.Fatalf("derived %q beside one of the same set", got)
	}
	taken := "unicode-arger"
	w := entrytest.Write(set, `{"title": "x"}`)
	w.Slug = &taken
	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", w)
	if f := b.Refused(err, fault.Conflict); len(f.EntryIDs) != 1 || f.EntryIDs[0] != string(first.ID) {
		t.Fatalf("%v", f.EntryIDs)
	}
	bad := "No Slug"
	w.Slug = &bad
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", w)
	b.Refused(err, fault.ValidationFailed)
	w = entrytest.Write(set, `{"name": "x"}`)
	w.Slug = &taken
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "authors", w)
	b.Refused(err, fault.ValidationFailed)

	// A title that changes later leaves the slug alone; clearing the slug derives it again.
	renamed := b.Patch(nil, first.ID, `{"title": "New Name"}`)
	if slug(renamed.Entry) != "unicode-arger" {
		t.Fatalf("slug %q", slug(renamed.Entry))
	}
	if cleared := b.Patch(nil, first.ID, `{"slug": null}`); slug(cleared.Entry) != "new-name" {
		t.Fatalf("slug %q", slug(cleared.Entry))
	}
}
