package changeset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/credential"
)

// warnings are those of a set, which publish must give too.
func (b *bed) warnings(set *changeset.ChangeSet) string {
	b.Helper()
	found, err := changeset.Validate(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
	if found.Detail != "" {
		b.Fatal(found.Detail)
	}
	p := b.Publish(set)
	if fmt.Sprint(p.Warnings) != fmt.Sprint(found.Warnings) {
		b.Fatalf("publish warns of %v, validate of %v", p.Warnings, found.Warnings)
	}
	listed := ""
	for _, w := range found.Warnings {
		if w.ResourceType != "entry" || w.Code != "referenced" {
			b.Fatalf("%+v", w)
		}
		listed += fmt.Sprintf("%s by %s; ", w.ResourceID, w.ReferencedBy)
	}
	return listed
}

// Who takes away what live entries refer to is told so, and not kept from it.
func TestTakingAwayWhatIsReferredToWarns(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	locales := []string{"en", "de"}
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &locales[0]})
	b.OK(err)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "pages", "fields": {
		"text": {"type": "text"},
		"seo": {"type": "object", "fields": {"team": {"type": "list", "of": {"type": "reference", "to": "authors"}}}},
		"sections": {"type": "blocks", "allowed": [{"key": "quote", "fields": {"by": {"type": "reference", "to": "authors"}}}]},
		"prose": {"type": "richText", "localized": true}}}`)
	author := func() content.EntryID { return b.Published("authors", `{"name": "A"}`).ID }
	page := func(format string, id content.EntryID) content.EntryID {
		return b.Published("pages", strings.ReplaceAll(format, "ID", string(id))).ID
	}
	deleted, unpublished, alone := author(), author(), author()
	post := b.Published("posts", fmt.Sprintf(`{"title": "Post", "author": %q}`, deleted)).ID
	nested := page(`{"seo": {"team": ["ID"]}, "sections": [{"type": "quote", "fields": {"by": "ID"}}]}`, deleted)
	prose := page(`{"prose": {"de": {"type": "doc", "content": [{"type": "mention", "attrs": {"entry": "ID"}}]}}}`, unpublished)
	// None of these is a live entry outside of the set that refers to one of them.
	page(`{"text": "ID"}`, deleted)
	b.Create(nil, "posts", fmt.Sprintf(`{"title": "A draft", "author": %q}`, deleted))
	former := b.Published("posts", fmt.Sprintf(`{"title": "Former", "author": %q}`, deleted)).ID
	b.Publish(b.Patch(nil, former, `{"author": null}`).ChangeSet)
	going := b.Published("posts", fmt.Sprintf(`{"title": "Going too", "author": %q}`, deleted)).ID
	turning := b.Published("posts", fmt.Sprintf(`{"title": "Turning away", "author": %q}`, deleted)).ID

	set := b.Set("away")
	b.remove(set, deleted, content.OperationDelete)
	b.remove(set, unpublished, content.OperationUnpublish)
	b.remove(set, alone, content.OperationDelete)
	b.remove(set, going, content.OperationUnpublish)
	b.Patch(set, turning, `{"author": null}`)
	want := fmt.Sprintf("%s by [%s %s]; %s by [%s]; ", deleted, post, nested, unpublished, prose)
	if got := b.warnings(set); got != want {
		t.Fatalf("warned of %s, want %s", got, want)
	}
	if got := b.warnings(b.Patch(nil, unpublished, `{"name": "B"}`).ChangeSet); got != "" {
		t.Fatal(got)
	}
}

// A warning names 200 referrers at most, of collections that the actor may see.
func TestAWarningIsBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "pages", "fields": {"by": {"type": "reference", "to": "authors"}}}`)
	busy, other := b.Published("authors", `{"name": "A"}`).ID, b.Published("authors", `{"name": "B"}`).ID
	out, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "posts", entry.ImportOptions{}, func(yield func(entry.ImportRow, error) bool) {
		for n := range 1_203 {
			id := busy
			if n > 1_200 {
				id = other
			}
			if !yield(entry.ImportRow{Data: jsontext.Value(fmt.Sprintf(`{"title": "Post %d", "author": %q}`, n, id))}, nil) {
				return
			}
		}
	})
	b.OK(err)
	b.Publish(out.ChangeSet)
	page := b.Published("pages", fmt.Sprintf(`{"by": %q}`, other)).ID
	set := b.Set("away")
	b.remove(set, busy, content.OperationUnpublish)
	b.remove(set, other, content.OperationUnpublish)
	found, err := changeset.Validate(t.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
	var ids []content.EntryID
	for _, r := range out.Rows {
		ids = append(ids, r.Entry)
	}
	if len(found.Warnings) != 2 || !slices.Equal(found.Warnings[0].ReferencedBy, ids[:200]) ||
		!strings.HasPrefix(found.Warnings[0].Message, "more than 200 live entries refer to it") ||
		!slices.Equal(found.Warnings[1].ReferencedBy, append(ids[1_201:], page)) {
		t.Fatalf("%+v", found.Warnings)
	}
	confined := &access.Actor{Grant: &credential.Grant{Collections: []string{"authors", "pages"}}}
	found, err = changeset.Validate(t.Context(), b.Pool, confined, b.ID, string(set.ID))
	b.OK(err)
	if len(found.Warnings) != 1 || !slices.Equal(found.Warnings[0].ReferencedBy, []content.EntryID{page}) {
		t.Fatalf("%+v", found.Warnings)
	}
}
