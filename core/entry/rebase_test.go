package entry_test

import (
	"fmt"
	"slices"
	"testing"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

func (b *bed) rebase(set *changeset.ChangeSet, on entry.OnConflict) (*entry.Rebased, error) {
	return entry.Rebase(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), on, false)
}

// rebased rebases a set, and returns the fields that it proposes for an entry then.
func (b *bed) rebased(set *changeset.ChangeSet, on entry.OnConflict, id content.EntryID) string {
	b.Helper()
	_, err := b.rebase(set, on)
	b.OK(err)
	e, err := entry.Get(b.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
	b.OK(err)
	return string(e.Draft.Fields)
}

// overtake publishes an edit of an entry in a set of its own.
func (b *bed) overtake(id content.EntryID, data string) {
	b.Helper()
	set := b.Set("Theirs")
	b.Patch(set, id, data)
	b.Publish(set)
}

// refusedRebase checks what a rebase is refused for, and that a dry run says so, but for conflicts of which its plan tells.
func (b *bed) refusedRebase(set *changeset.ChangeSet, on entry.OnConflict, code fault.Code, paths ...string) {
	b.Helper()
	_, err := b.rebase(set, on)
	f := b.Refused(err, code)
	if got := itemPaths(f.Items); !slices.Equal(got, paths) || f.Items[0].ResourceID == "" {
		b.Errorf("%+v, want %s", f.Items, paths)
	}
	plan, err := entry.Rebase(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), on, true)
	b.OK(err)
	conflicts := 0
	for _, item := range plan.Items {
		conflicts += len(item.Conflicts)
	}
	if foreseen := itemPaths(plan.Errors); on == entry.Fail && conflicts > 0 {
		if len(foreseen) > 0 || conflicts != len(paths) {
			b.Errorf("%d conflicts, and %s foreseen", conflicts, foreseen)
		}
	} else if !slices.Equal(foreseen, paths) {
		b.Errorf("%s foreseen, want %s", foreseen, paths)
	}
}

func itemPaths(items []fault.Item) (paths []string) {
	for _, i := range items {
		paths = append(paths, i.Path)
	}
	return paths
}

func TestSlugsAreRebasedAsFields(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := b.Published("posts", `{"title":"One"}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, id, `{"slug":"mine"}`)
	b.overtake(id, `{"body":"B"}`)
	if got := b.rebased(mine, entry.Fail, id); got != `{"title":"One","slug":"mine","body":"B"}` {
		t.Error(got)
	}
	b.overtake(id, `{"slug":"theirs"}`)
	b.refusedRebase(mine, entry.Fail, fault.Conflict, "fields.slug")
	if got := b.rebased(mine, entry.TakeTheirs, id); got != `{"title":"One","slug":"theirs","body":"B"}` {
		t.Error(got)
	}
	// What takes its slug from its path alone has none among its fields.
	b.Push(`{"name":"notes","path":"/n/{slug}","titleField":"title","fields":{"title":{"type":"text"},"body":{"type":"text"}}}`, entrytest.Posts, entrytest.Authors)
	note := b.Published("notes", `{"title":"A note"}`).ID
	mine = b.Set("Mine")
	slug := "my-note"
	_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(note), entry.Write{Slug: &slug, ChangeSet: string(mine.ID)})
	b.OK(err)
	b.overtake(note, `{"body":"B"}`)
	if got := b.rebased(mine, entry.Fail, note); got != `{"title":"A note","body":"B"}` {
		t.Error(got)
	}
	b.Publish(mine)
	if e := b.Get(note); *e.Published.Slug != slug {
		t.Error(*e.Published.Slug)
	}
	theirs, mineAgain := "their-note", b.Set("Mine again")
	slug = "my-other-note"
	_, err = entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(note), entry.Write{Slug: &slug, ChangeSet: string(mineAgain.ID)})
	b.OK(err)
	set := b.Set("Theirs")
	_, err = entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(note), entry.Write{Slug: &theirs, ChangeSet: string(set.ID)})
	b.OK(err)
	b.Publish(set)
	b.refusedRebase(mineAgain, entry.Fail, fault.Conflict, "fields.slug")
	b.rebased(mineAgain, entry.TakeTheirs, note)
	b.Publish(mineAgain)
	if e := b.Get(note); *e.Published.Slug != theirs {
		t.Error(*e.Published.Slug)
	}
	if found := b.search("notes", "their", 10); len(found) != 1 {
		t.Errorf("the slug is not found: %v", found)
	}
}

// A slug that another entry has by now is refused, as it is when an entry is edited.
func TestARebaseDoesNotTakeSlugs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, two := b.Published("posts", `{"title":"One"}`).ID, b.Published("posts", `{"title":"Two"}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, one, `{"slug":"wanted"}`)
	b.overtake(one, `{"body":"B"}`)
	b.overtake(two, `{"slug":"wanted"}`)
	b.refusedRebase(mine, entry.Fail, fault.Conflict, "slug")
}

// Values from before the project had locales, or a field was localized, are those of the default locale.
func TestPlainValuesAreRebasedAsThoseOfTheDefaultLocale(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(`{"name":"pages","fields":{"title":{"type":"text","localized":true},"note":{"type":"text"},"body":{"type":"text"}}}`, entrytest.Posts, entrytest.Authors)
	id := b.Published("pages", `{"title":"Plain","note":"Plain"}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, id, `{"title":"Mine","note":"Mine"}`)
	english := "en"
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &[]string{"en", "de"}, DefaultLocale: &english})
	b.OK(err)
	b.Push(`{"name":"pages","fields":{"title":{"type":"text","localized":true},"note":{"type":"text","localized":true},"body":{"type":"text"}}}`, entrytest.Posts, entrytest.Authors)
	b.overtake(id, `{"body":"Theirs"}`)
	if got := b.rebased(mine, entry.Fail, id); got != `{"title":{"en":"Mine"},"note":{"en":"Mine"},"body":"Theirs"}` {
		t.Error(got)
	}
	b.Publish(mine)
	mine = b.Set("Mine")
	b.Patch(mine, id, `{"title":{"en":"Ours"}}`)
	b.overtake(id, `{"title":{"en":"Mine","de":"Unser"}}`)
	if got := b.rebased(mine, entry.Fail, id); got != `{"title":{"de":"Unser","en":"Ours"},"note":{"en":"Mine"},"body":"Theirs"}` {
		t.Error(got)
	}
}

// A default that a push brought is not an edit of those who stored it first.
func TestDefaultsOfAPushAreNoEdits(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(`{"name":"pages","fields":{"title":{"type":"text"}}}`, entrytest.Posts, entrytest.Authors)
	id := b.Published("pages", `{"title":"One"}`).ID
	b.Push(`{"name":"pages","fields":{"title":{"type":"text"},"kind":{"type":"text","required":true,"default":"draft"}}}`, entrytest.Posts, entrytest.Authors)
	mine := b.Set("Mine")
	b.Patch(mine, id, `{"title":"Mine"}`)
	b.overtake(id, `{"kind":"final"}`)
	if got := b.rebased(mine, entry.Fail, id); got != `{"title":"Mine","kind":"final"}` {
		t.Error(got)
	}
}

// What is published refers to what has been deleted since: that is theirs, and keeps no one from taking it.
func TestTakingTheirsAsksNothingOfTheirReferences(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ada, bob := b.Published("authors", `{"name":"Ada"}`).ID, b.Published("authors", `{"name":"Bob"}`).ID
	id := b.Published("posts", `{"title":"One"}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, id, fmt.Sprintf(`{"author":%q,"body":"Mine"}`, bob))
	b.overtake(id, fmt.Sprintf(`{"author":%q}`, ada))
	gone := b.Set("Gone")
	_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(ada), string(gone.ID))
	b.OK(err)
	b.Publish(gone)
	want := fmt.Sprintf(`{"title":"One","slug":"one","body":"Mine","author":%q}`, ada)
	if got := b.rebased(mine, entry.TakeTheirs, id); got != want {
		t.Error(got)
	}
}

func TestTranslationsAreRebasedByLocale(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	english := "en"
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &[]string{"en", "de", "fr"}, DefaultLocale: &english})
	b.OK(err)
	b.Push(`{"name":"pages","fields":{"title":{"type":"text","localized":true}}}`, entrytest.Posts, entrytest.Authors)
	id := b.Published("pages", `{"title":{"en":"One"}}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, id, `{"title":{"en":"One","de":"Eins"}}`)
	b.overtake(id, `{"title":{"en":"First","fr":"Un"}}`)
	if got := b.rebased(mine, entry.Fail, id); got != `{"title":{"de":"Eins","en":"First","fr":"Un"}}` {
		t.Error(got)
	}
}

// An edit of a field that the schema has removed or retyped since is a conflict, and cannot be kept where it does not fit.
func TestEditsOfFieldsThatTheSchemaChanged(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	pages := func(fields string) string {
		return `{"name":"pages","fields":{"title":{"type":"text"}` + fields + `}}`
	}
	for name, now := range map[string]string{"removed": "", "retyped": `,"note":{"type":"markdown"}`} {
		b.Push(pages(`,"note":{"type":"text"}`), entrytest.Posts, entrytest.Authors)
		id := b.Published("pages", `{"title":"One"}`).ID
		mine := b.Set("Mine")
		b.Patch(mine, id, `{"note":"Mine"}`)
		b.overtake(id, `{"title":"Two"}`)
		p := entrytest.Proposal(pages(now), entrytest.Posts, entrytest.Authors)
		p.AllowDestructive = true
		_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
		b.OK(err)
		b.refusedRebase(mine, entry.Fail, fault.Conflict, "fields.note")
		want := `{"title":"Two","note":"Mine"}`
		if name == "removed" {
			b.refusedRebase(mine, entry.TakeMine, fault.ValidationFailed, "fields.note")
			want = `{"title":"Two"}`
		}
		if got := b.rebased(mine, map[string]entry.OnConflict{"removed": entry.TakeTheirs, "retyped": entry.TakeMine}[name], id); got != want {
			t.Errorf("%s: %s", name, got)
		}
		b.Publish(mine)
		p = entrytest.Proposal(entrytest.Posts, entrytest.Authors)
		p.AllowDestructive = true
		_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
		b.OK(err)
	}
}

// The same inside a value, where edits beside it are replayed.
func TestEditsOfMembersThatTheSchemaRemoved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	pages := func(members string) string {
		return `{"name":"pages","fields":{"title":{"type":"text"},"seo":{"type":"object","fields":{` + members + `}},` +
			`"links":{"type":"list","of":{"type":"object","fields":{` + members + `}}}}}`
	}
	b.Push(pages(`"a":{"type":"text"},"b":{"type":"text"}`), entrytest.Posts, entrytest.Authors)
	id := b.Published("pages", `{"title":"One","seo":{"a":"1","b":"1"},"links":[{"a":"1","b":"1"}]}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, id, `{"seo":{"a":"Mine","b":"Mine"},"links":[{"a":"Mine","b":"1"}]}`)
	b.overtake(id, `{"title":"Two"}`)
	p := entrytest.Proposal(pages(`"b":{"type":"text"}`), entrytest.Posts, entrytest.Authors)
	p.AllowDestructive = true
	_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
	b.OK(err)
	b.refusedRebase(mine, entry.Fail, fault.Conflict, "fields.seo.a", "fields.links")
	b.refusedRebase(mine, entry.TakeMine, fault.ValidationFailed, "fields.seo.a", "fields.links[0].a")
	if got := b.rebased(mine, entry.TakeTheirs, id); got != `{"title":"Two","seo":{"b":"Mine"},"links":[{"b":"1"}]}` {
		t.Error(got)
	}
}

// A slug is the same edit, whatever field the schema keeps it in: a slug that no one edited stays, and an edited one is replayed.
func TestRebasesKeepSlugsWhereverTheyStand(t *testing.T) {
	t.Parallel()
	pages := func(slug string) string {
		return `{"name":"pages","titleField":"title","path":"/p/{slug}","fields":{"title":{"type":"text"}` + slug + `}}`
	}
	const field, renamed, none = `,"slug":{"type":"slug"}`, `,"address":{"type":"slug"}`, ""
	for _, change := range [][2]string{{field, renamed}, {field, none}} {
		b := newBed(t)
		push := func(slug string) {
			p := entrytest.Proposal(pages(slug), entrytest.Posts, entrytest.Authors)
			p.AllowDestructive = true
			_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
			b.OK(err)
		}
		push(change[0])
		slugs := map[string]content.EntryID{"kept": b.Published("pages", `{"title":"A","slug":"kept"}`).ID, "mine": b.Published("pages", `{"title":"B","slug":"b"}`).ID}
		set := b.Set("Mine")
		b.Patch(set, slugs["kept"], `{"title":"Mine"}`)
		b.Patch(set, slugs["mine"], `{"slug":"mine"}`)
		for _, id := range slugs {
			b.overtake(id, `{"title":"Theirs"}`)
		}
		push(change[1])
		_, err := b.rebase(set, entry.TakeMine)
		b.OK(err)
		for want, id := range slugs {
			e, err := entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
			b.OK(err)
			if e.Draft.Slug == nil || *e.Draft.Slug != want {
				t.Errorf("%q to %q: a slug is %v, want %s", change[0], change[1], e.Draft.Slug, want)
			}
		}
	}
}

// What other entries did in the meantime refuses a rebase without being a conflict, and a dry run foresees it.
func TestRebasesForeseeWhatOtherEntriesRefuse(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, other := b.Published("posts", `{"title":"One"}`).ID, b.Published("posts", `{"title":"Other"}`).ID
	author := b.Published("authors", `{"name":"Ada"}`).ID
	mine := b.Set("Mine")
	b.Patch(mine, one, `{"slug":"wanted"}`)
	b.overtake(other, `{"slug":"wanted"}`)
	b.overtake(one, `{"body":"B"}`)
	b.refusedRebase(mine, entry.Fail, fault.Conflict, "slug")
	b.Patch(mine, one, `{"slug":"free","author":"`+string(author)+`"}`)
	gone := b.Set("Gone")
	_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(author), string(gone.ID))
	b.OK(err)
	b.Publish(gone)
	b.refusedRebase(mine, entry.TakeMine, fault.ValidationFailed, "fields.author")
	b.Patch(mine, one, `{"author":null}`)
	if got := b.rebased(mine, entry.Fail, one); got != `{"title":"One","slug":"free","body":"B"}` {
		t.Error(got)
	}
}

func TestRebasesOfConfinedKeysCoverTheSet(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	mine := b.Create(nil, "authors", `{"name":"Ada"}`).ChangeSet
	b.Create(mine, "posts", `{"title":"One"}`)
	_, err := entry.Rebase(t.Context(), b.Pool, &access.Actor{Grant: &credential.Grant{Collections: []string{"posts"}}}, b.ID, string(mine.ID), entry.Fail, false)
	b.Refused(err, fault.Forbidden)
}

// A text that is no slug cannot be taken once its field is one. That is told of each entry, like all that does not fit.
func TestTextsThatAreNoSlugsAreNotTaken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	pages := func(kind string) string {
		return `{"name":"pages","titleField":"title","fields":{"title":{"type":"text"},"address":{"type":"` + kind + `"}}}`
	}
	b.Push(pages("text"), entrytest.Posts, entrytest.Authors)
	one, two := b.Published("pages", `{"title":"One"}`).ID, b.Published("pages", `{"title":"Two"}`).ID
	mine := b.Set("Mine")
	for _, id := range []content.EntryID{one, two} {
		b.Patch(mine, id, `{"address":"No slug"}`)
		gone := b.Set("Gone") // or the schema could not change
		_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(gone.ID))
		b.OK(err)
		b.Publish(gone)
	}
	p := entrytest.Proposal(pages("slug"), entrytest.Posts, entrytest.Authors)
	p.AllowDestructive = true
	_, err := schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
	b.OK(err)
	for _, id := range []content.EntryID{one, two} {
		back := b.Set("Back")
		_, err := entry.Undelete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(back.ID))
		b.OK(err)
		b.Patch(back, id, `{"title":"Theirs"}`)
		b.Publish(back)
	}
	b.refusedRebase(mine, entry.TakeMine, fault.ValidationFailed, "fields.address", "fields.address")
	if got := b.rebased(mine, entry.TakeTheirs, one); got != `{"title":"Theirs","address":"theirs"}` {
		t.Error(got)
	}
}
