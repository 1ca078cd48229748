package changeset_test

import (
	"testing"

	"svc/core/entry"
	"svc/shared/fault"
)

func slug(e *entry.Entry) string {
	if e.Draft == nil || e.Draft.Slug == nil {
		return ""
	}
	return *e.Draft.Slug
}

func TestSlugsSwapInsideOneRelease(t *testing.T) {
	b := newBed(t)
	one, two := b.published("posts", `{"title": "One"}`), b.published("posts", `{"title": "Two"}`)
	set := b.set("swap")
	b.patch(set, two.ID, `{"slug": "between"}`)
	b.patch(set, one.ID, `{"slug": "two"}`)
	b.patch(set, two.ID, `{"slug": "one"}`)
	b.publish(set)
	if a, z := slug(b.get(one.ID)), slug(b.get(two.ID)); a != "two" || z != "one" {
		t.Fatalf("%s and %s", a, z)
	}
}

// Uniqueness cannot be promised early: two sets may both take a slug, and the second to publish learns it.
func TestSlugTakenByAnotherSet(t *testing.T) {
	b := newBed(t)
	first := b.create(nil, "posts", `{"title": "Same"}`)
	second := b.create(nil, "posts", `{"title": "Same"}`)
	if slug(first.Entry) != "same" || slug(second.Entry) != "same" {
		t.Fatalf("%s and %s", slug(first.Entry), slug(second.Entry))
	}
	b.publish(first.ChangeSet)
	if got := b.findings(second.ChangeSet); got != "slug slug_taken;" {
		t.Fatal(got)
	}
	b.patch(nil, second.Entry.ID, `{"slug": "other"}`)
	b.publish(second.ChangeSet)
}

func TestSlugsAtWrite(t *testing.T) {
	b := newBed(t)
	first := b.published("posts", `{"title": "Ünïcode & Ärger"}`)
	if slug(first) != "unicode-arger" {
		t.Fatalf("derived %q", slug(first))
	}
	set := b.set("set")
	if got := slug(b.create(set, "posts", `{"title": "Ünïcode & Ärger"}`).Entry); got != "unicode-arger-2" {
		t.Fatalf("derived %q beside a published one", got)
	}
	if got := slug(b.create(set, "posts", `{"title": "Ünïcode & Ärger"}`).Entry); got != "unicode-arger-3" {
		t.Fatalf("derived %q beside one of the same set", got)
	}
	taken := "unicode-arger"
	w := write(set, `{"title": "x"}`)
	w.Slug = &taken
	_, err := entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", w)
	if f := b.refused(err, fault.Conflict); len(f.EntryIDs) != 1 || f.EntryIDs[0] != string(first.ID) {
		t.Fatalf("%v", f.EntryIDs)
	}
	bad := "No Slug"
	w.Slug = &bad
	_, err = entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", w)
	b.refused(err, fault.ValidationFailed)
	w = write(set, `{"name": "x"}`)
	w.Slug = &taken
	_, err = entry.Create(t.Context(), b.pool, b.actor, b.id, "authors", w)
	b.refused(err, fault.ValidationFailed)

	// A title that changes later leaves the slug alone; clearing the slug derives it anew.
	renamed := b.patch(nil, first.ID, `{"title": "New Name"}`)
	if slug(renamed.Entry) != "unicode-arger" {
		t.Fatalf("slug %q", slug(renamed.Entry))
	}
	if cleared := b.patch(nil, first.ID, `{"slug": null}`); slug(cleared.Entry) != "new-name" {
		t.Fatalf("slug %q", slug(cleared.Entry))
	}
}
