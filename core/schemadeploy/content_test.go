package schemadeploy_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

// deploy pushes a set and allows it to lose content.
func deploy(b *entrytest.Bed, collections ...string) (schemadeploy.Outcome, error) {
	in := entrytest.Proposal(collections...)
	in.AllowDestructive = true
	if in.Collections == nil {
		in.Collections = []jsontext.Value{}
	}
	return schemadeploy.Push(b.Context(), b.Pool, b.Actor, b.ID, in)
}

func mustDeploy(b *entrytest.Bed, collections ...string) schemadeploy.Outcome {
	b.Helper()
	out, err := deploy(b, collections...)
	b.OK(err)
	return out
}

const (
	longNotes  = `{"name":"notes","fields":{"text":{"type":"text"}}}`
	shortNotes = `{"name":"notes","fields":{"text":{"type":"text","maxLength":1}}}`
)

// Every head counts: what is published, the draft, and what each open or ready set proposes; of closed sets and of
// deleted entries nothing does.
func TestEveryHeadIsChecked(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	e := b.Published("notes", `{"text":"published"}`)
	one, two, closed := b.Set("one"), b.Set("two"), b.Set("closed")
	want := []content.RevisionID{*e.PublishedRevisionID}
	for _, set := range []*changeset.ChangeSet{one, two} {
		want = append(want, b.Patch(set, e.ID, `{"text":"`+set.Title+`"}`).Revision.ID)
	}
	b.Patch(closed, e.ID, `{"text":"closed"}`)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	gone := b.Published("notes", `{"text":"deleted"}`)
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), string(one.ID))
	b.OK(err)

	misfits := func() []content.RevisionID {
		_, err := deploy(b, shortNotes)
		b.Refused(err, fault.ValidationFailed)
		out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, []jsontext.Value{jsontext.Value(shortNotes)})
		b.OK(err)
		var found []content.RevisionID
		for _, e := range out.ContentErrors {
			found = append(found, e.Revision)
		}
		return found
	}
	slices.Sort(want)
	if got := misfits(); !slices.Equal(got, append(want, *gone.PublishedRevisionID)) {
		t.Fatalf("%v, want %v and %v", got, want, *gone.PublishedRevisionID)
	}
	b.Patch(two, e.ID, `{"text":"2"}`)
	b.Patch(one, e.ID, `{"text":"1"}`)
	b.Publish(one) // with the deletion
	out := mustDeploy(b, shortNotes)
	if out.Versions["notes"] != 2 {
		t.Fatalf("%+v", out)
	}
}

// Errors come in the order of entries, the first 100 in full, with the count of all.
func TestContentErrorsAreListedInOrderAndCounted(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes, `{"name":"aaa","fields":{"text":{"type":"text"}}}`)
	const many = 2300 // more than one portion
	imported, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "notes", entry.ImportOptions{}, importOf(many))
	b.OK(err)
	first := b.Create(nil, "aaa", `{"text":"aaa"}`)
	proposed := entrytest.Proposal(shortNotes, `{"name":"aaa","fields":{"text":{"type":"text","maxLength":1}}}`)
	out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, proposed.Collections)
	b.OK(err)
	if out.ContentErrorCount != many+1 || len(out.ContentErrors) != 100 || out.ContentErrors[0].Entry != first.Entry.ID {
		t.Fatalf("%d errors, %d listed, the first of %s", out.ContentErrorCount, len(out.ContentErrors), out.ContentErrors[0].Entry)
	}
	for i, e := range out.ContentErrors[1:] {
		if e.Entry != imported.Rows[i].Entry || e.Collection != "notes" {
			t.Fatalf("error %d is of %s, want %s", i+1, e.Entry, imported.Rows[i].Entry)
		}
	}
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, proposed)
	f := b.Refused(err, fault.ValidationFailed)
	if len(f.Items) != 100 || !strings.Contains(f.Detail, "in 2301 places; the first 100 are listed") {
		t.Fatalf("%s with %d", f.Detail, len(f.Items))
	}
	if v, err := schemadeploy.Get(t.Context(), b.Pool, b.ID, "aaa"); err != nil || v.Version != 1 {
		t.Fatalf("%+v, %v: something was applied", v, err)
	}
}

func importOf(n int) iter.Seq2[entry.ImportRow, error] {
	return func(yield func(entry.ImportRow, error) bool) {
		for i := range n {
			if !yield(entry.ImportRow{Data: jsontext.Value(fmt.Sprintf(`{"text":"note %d"}`, i))}, nil) {
				return
			}
		}
	}
}

// Stored keys that the schema lacks are no errors, stay while no one edits, and go with the next edit.
func TestTheNextEditDropsWhatIsNotDeclaredAnyMore(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	with := `{"name":"notes","fields":{"text":{"type":"text"},"old":{"type":"text"},"seo":{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text"}}},
		"parts":{"type":"blocks","allowed":[{"key":"quote","fields":{"q":{"type":"text"}}},{"key":"image","fields":{}}]}}}`
	without := `{"name":"notes","fields":{"text":{"type":"text"},"seo":{"type":"object","fields":{"a":{"type":"text"}}},
		"parts":{"type":"blocks","allowed":[{"key":"image","fields":{}}]}}}`
	mustDeploy(b, with)
	stored := `{"text":"x","old":"y","seo":{"a":"1","b":"2"},"parts":[{"type":"quote","fields":{"q":"z"}},{"type":"image","fields":{}}]}`
	e := b.Published("notes", stored)
	mustDeploy(b, without)
	if got := string(b.Get(e.ID).Draft.Fields); got != stored {
		t.Fatalf("the removal changed a revision: %s", got)
	}
	_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), entrytest.Write(nil, `{"old":"back"}`))
	if f := b.Refused(err, fault.ValidationFailed); f.Items[0].Path != "fields.old" || f.Items[0].Code != "unknown_field" {
		t.Fatal(entrytest.Codes(f))
	}
	w := b.Patch(nil, e.ID, `{"text":"new"}`)
	if got := string(w.Revision.Fields); got != `{"text":"new","seo":{"a":"1"},"parts":[{"type":"image","fields":{}}]}` || w.Revision.SchemaVersion != 2 {
		t.Fatalf("%s under version %d", got, w.Revision.SchemaVersion)
	}
	b.Publish(w.ChangeSet)
	mustDeploy(b, with) // the first version again
	if got := string(b.Patch(nil, e.ID, `{"old":"anew"}`).Revision.Fields); !strings.Contains(got, `"old":"anew"`) {
		t.Fatal(got)
	}
}

// A singleton has room for one item that is not deleted, whatever its state is.
func TestTheKindChangesOverOneEntryOnly(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	single := strings.Replace(longNotes, `"fields"`, `"kind":"singleton","fields"`, 1)
	mustDeploy(b, longNotes)
	first, second, third := b.Published("notes", `{"text":"1"}`), b.Create(nil, "notes", `{"text":"2"}`), b.Published("notes", `{"text":"3"}`)
	_, err := deploy(b, single)
	f := b.Refused(err, fault.ValidationFailed)
	if want := fmt.Sprintf("%s  too_many; %s  too_many; ", second.Entry.ID, third.ID); entrytest.Codes(f) != want {
		t.Fatalf("%s, want %s", entrytest.Codes(f), want)
	}
	for _, id := range []content.EntryID{second.Entry.ID, third.ID} {
		set := b.Set("delete")
		_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
		b.OK(err)
		b.Publish(set)
	}
	mustDeploy(b, single)
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, `{}`))
	if f := b.Refused(err, fault.Conflict); f.EntryIDs[0] != string(first.ID) {
		t.Fatal(f)
	}
	mustDeploy(b, longNotes)
	b.Create(nil, "notes", `{}`)
}

// The entries of a removed collection are kept, can be neither referred to nor published, and are checked when it comes
// back.
func TestARemovedCollectionComesBackOverWhatItHad(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	ada := b.Published("authors", `{"name":"Ada"}`)
	post := b.Create(nil, "posts", fmt.Sprintf(`{"title":"One","author":%q}`, ada.ID))
	free := `{"name":"free","fields":{"text":{"type":"richText"}}}`
	tree := func(id content.EntryID) string {
		return fmt.Sprintf(`{"text":{"type":"doc","content":[{"type":"mention","attrs":{"entry":%q}}]}}`, id)
	}
	mustDeploy(b, entrytest.Posts, entrytest.Authors, free)
	text := b.Create(nil, "free", tree(ada.ID))
	mustDeploy(b, free)

	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "free", entrytest.Write(nil, tree(ada.ID)))
	if f := b.Refused(err, fault.ValidationFailed); f.Items[0].Code != "reference" {
		t.Fatal(entrytest.Codes(f))
	}
	_, err = b.TryPublish(text.ChangeSet)
	if f := b.Refused(err, fault.PublishValidationFailed); f.Items[0].Code != "reference_unpublished" || !strings.Contains(f.Items[0].Message, `"authors" was removed`) {
		t.Fatal(f.Items)
	}
	_, err = b.TryPublish(post.ChangeSet)
	if f := b.Refused(err, fault.PublishValidationFailed); entrytest.Codes(f) != string(post.Entry.ID)+"  unknown_collection; " {
		t.Fatal(entrytest.Codes(f))
	}

	short := strings.Replace(entrytest.Authors, `"required": true`, `"required": true, "maxLength": 2`, 1)
	_, err = deploy(b, entrytest.Posts, short, free)
	if f := b.Refused(err, fault.ValidationFailed); entrytest.Codes(f) != string(ada.ID)+" fields.name max_length; " {
		t.Fatal(entrytest.Codes(f))
	}
	out := mustDeploy(b, entrytest.Posts, entrytest.Authors, free)
	if out.Versions["posts"] != 1 || out.Versions["authors"] != 1 {
		t.Fatalf("%v: they did not come back at their versions", out.Versions)
	}
	b.Publish(post.ChangeSet)
	b.Publish(text.ChangeSet)

	mustDeploy(b, free)
	other := mustDeploy(b, entrytest.Authors, free, strings.Replace(entrytest.Posts, `"body": {"type": "markdown"}`, `"body": {"type": "text"}`, 1))
	if other.Versions["posts"] != 2 {
		t.Fatalf("%v: a new version comes after those there were", other.Versions)
	}
}

// What the log says of a removal is what edges read from its rows.
func TestARemovalIsReplicated(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.Published("authors", `{"name":"Ada"}`)
	mustDeploy(b, strings.Replace(entrytest.Authors, "public", "private", 1))
	authors, err := schemadeploy.Versions(t.Context(), b.Pool, b.ID, "authors", postgres.Page{})
	b.OK(err)
	v := authors.Items[0]
	want, err := record.Digest(record.KindSchema, &recordpb.Schema{
		FromRelease: 2, Removed: []string{"posts"},
		Collections: []*recordpb.CollectionVersion{{Name: "authors", Version: 2, Canonical: v.Canonical, Hash: v.Hash, Label: "authors"}},
	})
	b.OK(err)
	if got := entrytest.One[[]byte](b, `SELECT digest FROM change WHERE kind = 'schema' ORDER BY seq DESC LIMIT 1`); string(got) != string(want[:]) {
		t.Fatalf("digest %x, want %s", got, want)
	}
	if got := entrytest.One[string](b, `SELECT data FROM event WHERE type = 'schema.pushed' ORDER BY id DESC LIMIT 1`); got != `{"versions":{"authors":2},"removed":["posts"],"summary":""}` {
		t.Fatal(got)
	}
	if c, _, err := schemadeploy.SchemaAtRelease(t.Context(), b.Pool, b.ID, "posts", 1); err != nil || c == nil {
		t.Fatalf("posts at release 1: %v, %v", c, err)
	}
	if c, _, err := schemadeploy.SchemaAtRelease(t.Context(), b.Pool, b.ID, "posts", 2); err != nil || c != nil {
		t.Fatalf("posts at release 2: %v, %v", c, err)
	}
	mustDeploy(b, entrytest.Posts, entrytest.Authors)
	if c, version, err := schemadeploy.SchemaAtRelease(t.Context(), b.Pool, b.ID, "posts", 2); err != nil || c == nil || version != 1 {
		t.Fatalf("posts at release 2 once it is back: %v at %d, %v", c, version, err)
	}
}

// A default may always go, at every depth. The check of content finds the entries that never stored a value.
func TestEntriesThatCountOnADefaultAreFoundWhenItGoes(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	set := func(field string) string {
		return `{"name":"notes","fields":{"text":{"type":"text"}` + strings.ReplaceAll(`,F,"o":{"type":"object","fields":{"x":{"type":"text"},F}},
			"l":{"type":"list","of":{"type":"object","fields":{"x":{"type":"text"},F}}},"b":{"type":"blocks","allowed":[{"key":"k","fields":{"x":{"type":"text"},F}}]}}}`, ",F", field)
	}
	mustDeploy(b, set(``))
	e := b.Create(nil, "notes", `{"o":{"x":"1"},"l":[{"x":"2"}],"b":[{"type":"k","fields":{"x":"3"}}]}`).Entry
	mustDeploy(b, set(`,"f":{"type":"text","required":true,"default":"-"}`))
	out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(set(`,"f":{"type":"text","required":true}`)).Collections)
	b.OK(err)
	var paths []string
	for _, found := range out.ContentErrors {
		paths = append(paths, found.Code+" "+found.Path)
	}
	want := []string{"required fields.f", "required fields.o.f", "required fields.l[0].f", "required fields.b[0].fields.f"}
	if out.Plan.Class != diff.Safe || len(out.Plan.Operations) != len(want) || !slices.Equal(paths, want) {
		t.Errorf("%s, %d operations, %q", out.Plan.Class, len(out.Plan.Operations), paths)
	}
	_, err = deploy(b, set(`,"f":{"type":"text","required":true}`))
	b.Refused(err, fault.ValidationFailed)
	b.Patch(nil, e.ID, `{"text":"edited"}`) // and so the defaults are stored
	mustDeploy(b, set(`,"f":{"type":"text","required":true}`))
}

// A content error says what people know the entry by, as far as it has that.
func TestContentErrorsNameTheEntry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ title, schema, data, slug, want string }{
		"slug and title": {"title", `"slug":{"type":"slug","from":"title"},"title":{"type":"text"}`, `{"title":"My \"first\" title\n"}`, "my-first-title", `My "first" title\n`},
		"a long title":   {"title", `"slug":{"type":"slug","from":"title"},"title":{"type":"markdown"}`, `{"title":"` + strings.Repeat("a ", 60) + `","slug":"a"}`, "a", strings.Repeat("a ", 30) + "…"},
		"a number":       {"title", `"title":{"type":"number"}`, `{"title":12.50}`, "", "12.50"},
		"by locale":      {"title", `"title":{"type":"text","localized":true}`, `{"title":{"de":"Titel","en":"Title"}}`, "", "Title"},
		"no title":       {"title", `"title":{"type":"text"}`, `{}`, "", ""},
		"another value":  {"title", `"title":{"type":"object","fields":{}}`, `{"title":{}}`, "", ""},
		"no title field": {"", `"title":{"type":"text"}`, `{"title":"Title"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := entrytest.New(t)
			if strings.Contains(tt.schema, "localized") {
				en := "en"
				_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &[]string{"en", "de"}, DefaultLocale: &en})
				b.OK(err)
			}
			set := func(text string) string {
				title := ""
				if tt.title != "" {
					title = `"titleField":"` + tt.title + `",`
				}
				return `{"name":"notes",` + title + `"fields":{` + tt.schema + `,"text":` + text + `}}`
			}
			mustDeploy(b, set(`{"type":"text"}`))
			b.Create(nil, "notes", tt.data)
			proposed := entrytest.Proposal(set(`{"type":"text","required":true}`))
			out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, proposed.Collections)
			b.OK(err)
			if len(out.ContentErrors) != 1 || out.ContentErrors[0].Slug != tt.slug || out.ContentErrors[0].Title != tt.want {
				t.Fatalf("%+v, want %q and %q", out.ContentErrors, tt.slug, tt.want)
			}
			_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, proposed)
			says := b.Refused(err, fault.ValidationFailed).Items[0].Message
			if strings.Contains(says, "slug "+tt.slug) != (tt.slug != "") || strings.Contains(says, `title "`+tt.want+`"`) != (tt.want != "") {
				t.Errorf("a push says %s", says)
			}
		})
	}
}
