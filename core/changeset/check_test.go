package changeset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// findings are what validate finds; publish must refuse with the same list.
func (b *bed) findings(set *changeset.ChangeSet) string {
	b.Helper()
	found, err := changeset.Validate(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
	listed := ""
	for _, i := range found.Errors {
		if i.ResourceType != "entry" || !content.IsID[content.EntryID](i.ResourceID) {
			b.Fatalf("%+v is about no entry", i)
		}
		listed += i.Path + " " + i.Code + ";"
	}
	if found.Detail != "" {
		_, err := b.TryPublish(set)
		f := b.Refused(err, fault.PublishValidationFailed)
		if f.Detail != found.Detail || fmt.Sprint(f.Items) != fmt.Sprint(found.Errors) {
			b.Fatalf("publish says %q and lists %v, validate %q and %v", f.Detail, f.Items, found.Detail, found.Errors)
		}
	}
	return listed
}

func (b *bed) remove(set *changeset.ChangeSet, id content.EntryID, operation content.Operation) {
	b.Helper()
	do := entry.Delete
	if operation == content.OperationUnpublish {
		do = entry.Unpublish
	}
	_, err := do(b.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
	b.OK(err)
}

// Interface, "Publish validation", 3.
func TestReferencesAtPublish(t *testing.T) {
	t.Parallel()
	all := newBed(t)
	refer := func(id content.EntryID) string { return fmt.Sprintf(`{"title": "Post", "author": %q}`, id) }
	for _, test := range []struct {
		name  string
		stage func(b *bed, set *changeset.ChangeSet)
		want  string
	}{
		{"to a published entry", func(b *bed, set *changeset.ChangeSet) {
			b.Create(set, "posts", refer(b.Published("authors", `{"name": "A"}`).ID))
		}, ""},
		{"to one created in the same set", func(b *bed, set *changeset.ChangeSet) {
			b.Create(set, "posts", refer(b.Create(set, "authors", `{"name": "A"}`).Entry.ID))
		}, ""},
		{"to an unpublished one outside", func(b *bed, set *changeset.ChangeSet) {
			b.Create(set, "posts", refer(b.Create(nil, "authors", `{"name": "A"}`).Entry.ID))
		}, "fields.author reference_unpublished;"},
		{"to one unpublished in the same set", func(b *bed, set *changeset.ChangeSet) {
			author := b.Published("authors", `{"name": "A"}`).ID
			b.Create(set, "posts", refer(author))
			b.remove(set, author, content.OperationUnpublish)
		}, "fields.author reference_removed;"},
		{"to one deleted in the same set", func(b *bed, set *changeset.ChangeSet) {
			author := b.Published("authors", `{"name": "A"}`).ID
			b.Create(set, "posts", refer(author))
			b.remove(set, author, content.OperationDelete)
		}, "fields.author reference_removed;"},
		{"to one deleted before", func(b *bed, set *changeset.ChangeSet) {
			author := b.Published("authors", `{"name": "A"}`).ID
			b.Create(set, "posts", refer(author))
			other := b.Set("other")
			b.remove(other, author, content.OperationDelete)
			b.Publish(other)
		}, "fields.author reference_unpublished;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bed{all.Fresh(t)}
			set := b.Set("set")
			test.stage(b, set)
			if got := b.findings(set); got != test.want {
				t.Fatalf("found %q, want %q", got, test.want)
			}
			if test.want == "" {
				b.Publish(set)
			}
		})
	}
}

// References are found wherever they stand: in objects, lists and blocks, in every locale, and inside of richText.
func TestReferencesAtPublishAtAnyDepth(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	locales := []string{"en", "de"}
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &locales[0]})
	b.OK(err)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "pages", "fields": {
		"seo": {"type": "object", "fields": {"by": {"type": "reference", "to": "authors"}}},
		"team": {"type": "list", "of": {"type": "reference", "to": "authors"}},
		"see": {"type": "reference", "to": "authors", "multiple": true, "localized": true},
		"sections": {"type": "blocks", "allowed": [{"key": "quote", "fields": {"by": {"type": "reference", "to": "authors"}}}]},
		"prose": {"type": "richText", "localized": true}}}`)
	draft, live := b.Create(nil, "authors", `{"name": "Draft"}`).Entry.ID, b.Published("authors", `{"name": "Live"}`).ID
	page := strings.NewReplacer("DRAFT", string(draft), "LIVE", string(live)).Replace(`{
		"seo": {"by": "DRAFT"}, "team": ["LIVE", "DRAFT"], "see": {"en": ["LIVE"], "de": ["DRAFT"]},
		"sections": [{"type": "quote", "fields": {"by": "LIVE"}}, {"type": "quote", "fields": {"by": "DRAFT"}}],
		"prose": {"de": {"type": "doc", "content": [{"type": "paragraph", "content": [
			{"type": "mention", "attrs": {"entry": "DRAFT"}}, {"type": "text", "text": "x", "marks": [{"type": "link", "attrs": {"entry": "LIVE"}}]}]}]}}}`)
	const want = "fields.seo.by reference_unpublished;fields.team[1] reference_unpublished;fields.see.de[0] reference_unpublished;" +
		"fields.sections[1].fields.by reference_unpublished;fields.prose.de.content[0].content[0].attrs.entry reference_unpublished;"
	w := b.Create(nil, "pages", page)
	if got := b.findings(w.ChangeSet); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	post := b.Published("posts", `{"title": "No author"}`).ID
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "pages", entrytest.Write(nil, strings.ReplaceAll(page, string(live), string(post))))
	const wrong = " fields.team[0] reference;  fields.see.en[0] reference;  fields.sections[0].fields.by reference; "
	if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != wrong {
		t.Fatalf("found %q, want %q", got, wrong)
	}
}

func TestAnEmptySetDoesNotPublish(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.Set("empty")
	if got := b.findings(set); got != "" {
		t.Fatal(got)
	}
	_, err := b.TryPublish(set)
	if f := b.Refused(err, fault.PublishValidationFailed); f.Detail != "the change set stages nothing" {
		t.Fatal(f.Detail)
	}
}

// A set that is over validates as little as it publishes.
func TestAPublishedOrClosedSetIsNotValidated(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	published, closed := b.Create(nil, "posts", `{"title": "One"}`).ChangeSet, b.Set("closed")
	b.Publish(published)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	for _, set := range []*changeset.ChangeSet{published, closed} {
		_, err := changeset.Validate(t.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
		b.Refused(err, fault.Conflict)
	}
}

// Too many items are the fault of those beyond the limit, of which the list has the first ones.
func TestAReleaseHasAMostOfItems(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	out := b.importRows(changeset.MaxItems, "first")
	_, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "posts", entry.ImportOptions{ChangeSet: string(out.ChangeSet.ID)},
		func(yield func(entry.ImportRow, error) bool) {
			for n := range 1_001 {
				if !yield(entry.ImportRow{Data: jsontext.Value(fmt.Sprintf(`{"title": "Beyond %d"}`, n))}, nil) {
					return
				}
			}
		})
	b.OK(err)
	found, err := changeset.Validate(t.Context(), b.Pool, b.Actor, b.ID, string(out.ChangeSet.ID))
	b.OK(err)
	if n := len(found.Errors); n != 1000 || found.Errors[0].Code != "too_many" || !strings.HasPrefix(found.Detail, "the change set has 1001 faults, of which 1000 are listed; the first: ent_") {
		t.Fatalf("%d errors, the first %+v; %s", n, found.Errors[0], found.Detail)
	}
	if got := entrytest.One[string](b.Bed, `SELECT resource_id FROM change_set_item WHERE change_set_id = $1
		ORDER BY resource_id OFFSET $2 LIMIT 1`, out.ChangeSet.ID, changeset.MaxItems); got != found.Errors[0].ResourceID {
		t.Fatalf("the first one beyond the limit is %s, not %s", got, found.Errors[0].ResourceID)
	}
}

// TestAReleaseHasASize: what no edge would take is not published, and says what to do.
func TestAReleaseHasASize(t *testing.T) {
	changeset.SetMaxSize(t, 1<<20)
	b := newBed(t)
	set, small := b.Set("large"), b.Set("small")
	for n := range 3 {
		b.Create(set, "posts", fmt.Sprintf(`{"title": "Post %d", "body": %q}`, n, strings.Repeat("x", 3<<17)))
	}
	if got := b.findings(set); got != " too_large;" {
		t.Fatal(got)
	}
	b.Create(small, "posts", fmt.Sprintf(`{"title": "Post", "body": %q}`, strings.Repeat("x", 7<<17)))
	b.Publish(small)
}

func TestRemovalsOnAMovedBaseAreStale(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "One"}`)
	set, other := b.Set("unpublish"), b.Set("edit")
	b.remove(set, e.ID, content.OperationUnpublish)
	b.Patch(other, e.ID, `{"title": "Two"}`)
	b.Publish(other)
	if got := b.findings(set); got != " STALE_REVISION;" {
		t.Fatal(got)
	}
}

func TestADraftOfADeletedEntryIsStale(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Create(b.Set("create"), "posts", `{"title": "One"}`)
	other := b.Set("delete")
	b.remove(other, w.Entry.ID, content.OperationDelete)
	b.Publish(other)
	if got := b.findings(w.ChangeSet); got != " STALE_REVISION;" {
		t.Fatal(got)
	}
}

// What is in force decides at publish. Neither pushes nor settings can break drafts, so the locales are changed here
// behind their back.
func TestTargetsAreValidatedAgainstWhatIsInForce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	locales, def := []string{"en", "de"}, "en"
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &def})
	b.OK(err)
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(entrytest.Posts, entrytest.Authors,
		`{"name": "pages", "titleField": "title", "fields": {"title": {"type": "text", "required": true, "localized": true}}}`))
	b.OK(err)
	w := b.Create(nil, "pages", `{"title": {"en": "One", "de": "Eins"}}`)
	only := []string{"de"}
	def = "de"
	_, err = schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &only, DefaultLocale: &def})
	f := b.Refused(err, fault.Conflict)
	if len(f.EntryIDs) != 1 || f.EntryIDs[0] != string(w.Entry.ID) {
		t.Fatalf("entries in the way: %v", f.EntryIDs)
	}
	b.Publish(w.ChangeSet)
	german := b.Create(nil, "pages", `{"title": {"en": "Two"}}`)
	_, err = schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{DefaultLocale: &def})
	b.Refused(err, fault.Conflict)
	_, err = b.Pool.Exec(t.Context(), `UPDATE project SET default_locale = $2 WHERE id = $1`, b.ID, def)
	b.OK(err)
	if got := b.findings(german.ChangeSet); got != "fields.title.de required;" && got != "fields.title required;" {
		t.Fatal(got)
	}
}

// Interface, "Policy rules": a policy never refuses a draft and always blocks its publish, beside everything else.
func TestAPolicyBlocksPublishing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Authors, strings.Replace(entrytest.Posts, `"titleField"`, `"policy": [
		{"rule": "length", "field": "body", "min": 2, "words": true, "reason": "more than a label"},
		{"rule": "required", "fields": ["author"]},
		{"rule": "bannedTerms", "terms": ["foo"]}, {"rule": "altText"}], "titleField"`, 1))
	author := b.Published("authors", `{"name": "Foo"}`).ID
	w := b.Create(nil, "posts", `{"title": "f*oo* Foo", "body": "**[one](https://example.com/two)**"}`)
	const want = "fields.body policy_violation;fields.author policy_violation;fields.title policy_violation;fields.slug policy_violation;"
	if got := b.findings(w.ChangeSet); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	_, err := b.TryPublish(w.ChangeSet)
	f := b.Refused(err, fault.PublishValidationFailed)
	if f.Items[0].ResourceID != string(w.Entry.ID) || f.Items[0].Message != "must have at least 2 words for its reader; it has 1 (more than a label)" {
		t.Fatalf("%+v", f.Items[0])
	}
	other := b.Create(nil, "authors", `{"name": "B"}`)
	b.Patch(w.ChangeSet, w.Entry.ID, fmt.Sprintf(`{"title": "Bar", "slug": "bar", "body": "**one** two", "author": %q}`, other.Entry.ID))
	if got := b.findings(w.ChangeSet); got != "fields.author reference_unpublished;" {
		t.Fatal(got)
	}
	b.Patch(w.ChangeSet, w.Entry.ID, fmt.Sprintf(`{"author": %q}`, author))
	b.Publish(w.ChangeSet)

	// What is published stays when the policy grows stricter, and taking it away is no matter of its content.
	b.Push(entrytest.Authors, strings.Replace(entrytest.Posts, `"titleField"`, `"policy": [{"rule": "bannedTerms", "terms": ["bar"]}], "titleField"`, 1))
	set := b.Set("away")
	b.remove(set, w.Entry.ID, content.OperationUnpublish)
	b.Publish(set)
}

func TestGates(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		facts changeset.Facts
		want  fault.Code
	}{
		{changeset.Facts{}, ""},
		{changeset.Facts{RequiredApprovals: 2, Approvals: 2}, ""},
		{changeset.Facts{RequiredApprovals: 2, Approvals: 1}, fault.ApprovalRequired},
		{changeset.Facts{Approvals: 3, ChangesRequested: true}, fault.ApprovalRequired},
		{changeset.Facts{RequireChecksPass: true}, fault.ChecksFailed},
		{changeset.Facts{RequireChecksPass: true, ChecksPassed: true}, ""},
		{changeset.Facts{RequiredApprovals: 1, RequireChecksPass: true}, fault.ApprovalRequired},
	} {
		if err := changeset.CheckGates(test.facts); (err == nil) != (test.want == "") || err != nil && !fault.Is(err, test.want) {
			t.Errorf("%+v: %v, want %s", test.facts, err, test.want)
		}
	}
}

func TestSettingsCloseTheGates(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Create(nil, "posts", `{"title": "One"}`)
	approvals, yes, none := 1, true, 0
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{RequiredApprovals: &approvals})
	b.OK(err)
	_, err = b.TryPublish(w.ChangeSet)
	b.Refused(err, fault.ApprovalRequired)
	_, err = schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{RequiredApprovals: &none, RequireChecksPass: &yes})
	b.OK(err)
	_, err = b.TryPublish(w.ChangeSet)
	b.Refused(err, fault.ChecksFailed)
}
