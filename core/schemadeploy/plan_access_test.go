package schemadeploy_test

import (
	"slices"
	"strings"
	"testing"

	"svc/core/access"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// holder is a key with these scopes, confined to collections where some are named.
func holder(scopes []credential.Scope, collections ...string) *access.Actor {
	return &access.Actor{Type: access.ActorAPIKey, ID: "key_1", Grant: &credential.Grant{Scopes: scopes, Collections: collections}}
}

var (
	schemaScopes = []credential.Scope{credential.SchemaRead, credential.SchemaWrite}
	everyScope   = append([]credential.Scope{credential.ContentRead}, schemaScopes...)
)

func diffAs(b *entrytest.Bed, actor *access.Actor, collections ...string) schemadeploy.Outcome {
	b.Helper()
	out, err := schemadeploy.Diff(b.Context(), b.Pool, actor, b.ID, entrytest.Proposal(collections...).Collections)
	b.OK(err)
	return out
}

func pushAs(b *entrytest.Bed, actor *access.Actor, collections ...string) error {
	_, err := schemadeploy.Push(b.Context(), b.Pool, actor, b.ID, entrytest.Proposal(collections...))
	return err
}

// A key that may not read content gets plans without it, which say so; a push by such a key is checked like any other, and
// refused with no more than a number.
func TestPlansShowContentOnlyToThoseWhoMayReadIt(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	e := b.Published("notes", `{"text":"secret"}`)
	staging, err := project.Create(t.Context(), b.Pool, b.Actor, organization(b), project.NewProject{Slug: "staging"})
	b.OK(err)
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, staging.ID, entrytest.Proposal(shortNotes))
	b.OK(err)
	promote := func(actor *access.Actor) error {
		_, err := schemadeploy.Promote(t.Context(), b.Pool, actor, b.ID, schemadeploy.Promotion{From: staging, Confirm: true})
		return err
	}
	for _, test := range []struct {
		name  string
		actor *access.Actor
		told  int
	}{{"with content:read", holder(everyScope), 1}, {"without content:read", holder(schemaScopes), 0}, {"the system", access.System(), 1}} {
		out := diffAs(b, test.actor, shortNotes)
		if out.ContentChecked != (test.told > 0) || len(out.ContentErrors) != test.told || out.ContentErrorCount != test.told ||
			out.Plan.Class != diff.ConditionallyDestructive {
			t.Errorf("%s: a diff tells %+v", test.name, out)
		}
		for way, err := range map[string]error{"push": pushAs(b, test.actor, shortNotes), "promote": promote(test.actor)} {
			f := b.Refused(err, fault.ValidationFailed)
			if len(f.Items) != test.told || !strings.Contains(f.Detail, "in 1 place") {
				t.Errorf("%s: a %s tells %v in %v", test.name, way, f.Detail, f.Items)
			}
			if test.told == 0 && (strings.Contains(f.Detail, string(e.ID)) || !strings.Contains(f.Detail, "content:read")) {
				t.Errorf("%s: a %s says %q", test.name, way, f.Detail)
			}
		}
	}
	out, err := schemadeploy.Push(t.Context(), b.Pool, holder(schemaScopes), b.ID,
		entrytest.Proposal(`{"name":"notes","fields":{"text":{"type":"text","maxLength":6}}}`))
	b.OK(err)
	if !out.ContentChecked {
		t.Error("a push says that it did not check content")
	}
}

func organization(b *entrytest.Bed) content.OrganizationID {
	p, err := project.Get(b.Context(), b.Pool, string(b.ID))
	b.OK(err)
	return p.Organization
}

// A key that is confined to collections gets plans for those alone, whatever the others are, were or shall be.
func TestPlansOfAConfinedKeyAreAboutItsCollections(t *testing.T) {
	t.Parallel()
	const (
		notes  = `{"name":"notes","fields":{"text":{"type":"text"},"by":{"type":"reference","to":"people"}}}`
		moved  = `{"name":"notes","fields":{"text":{"type":"text","maxLength":1},"by":{"type":"reference","to":"others"}}}`
		people = `{"name":"people","fields":{}}`
		others = `{"name":"others","fields":{}}`
	)
	b := entrytest.New(t)
	mustDeploy(b, notes, people, others, `{"name":"gone","fields":{"text":{"type":"text"}}}`)
	person := b.Create(nil, "people", `{}`).Entry.ID
	b.Create(nil, "notes", `{"text":"long","by":"`+string(person)+`"}`)
	b.Create(nil, "gone", `{"text":"x"}`)
	mustDeploy(b, notes, people, others)

	confined := holder(everyScope, "notes")
	out := diffAs(b, confined, moved, others, `{"name":"gone","fields":{"text":{"type":"number"}}}`, `{"name":"more","fields":{}}`)
	for _, o := range out.Plan.Operations {
		if o.Collection != "notes" {
			t.Errorf("the plan tells of %+v", o)
		}
	}
	var told []string
	for _, e := range out.ContentErrors {
		told = append(told, e.Collection+" "+e.Message)
	}
	want := []string{"notes must have at most 1 character; it has 4", "notes must refer to an entry of others; " + string(person) + " is one of another collection"}
	if len(out.Plan.Operations) != 2 || !slices.Equal(told, want) || out.ContentErrorCount != 2 {
		t.Errorf("%d operations; %q, want %q", len(out.Plan.Operations), told, want)
	}
	if out := diffAs(b, confined, notes, others, people, `{"name":"secret","fields":{}}`); !out.Plan.InSync() {
		t.Errorf("others differ, and the plan tells of %+v", out.Plan.Operations)
	}
}

// A push is about every collection, so a key that is confined to some cannot make one, even where it leaves the others as
// they are, and learns nothing about them by trying.
func TestAPushNeedsAKeyThatSeesAllCollections(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	site, err := project.Get(t.Context(), b.Pool, string(b.ID))
	b.OK(err)
	confined := holder(everyScope, "posts", "authors")
	_, promoted := schemadeploy.Promote(t.Context(), b.Pool, confined, b.ID, schemadeploy.Promotion{From: site, Confirm: true})
	for name, err := range map[string]error{
		"the same again": pushAs(b, confined, entrytest.Posts, entrytest.Authors), "another": pushAs(b, confined, entrytest.Authors, longNotes), "promote": promoted,
	} {
		f := b.Refused(err, fault.Forbidden)
		for _, part := range []string{"needs an API key that sees all collections of the project", "confined to posts, authors", "use a key"} {
			if !strings.Contains(f.Detail, part) {
				t.Errorf("%s: %q does not say %q", name, f.Detail, part)
			}
		}
	}
	b.OK(pushAs(b, holder(schemaScopes), entrytest.Posts, entrytest.Authors))
}

// The settings of a project are no way around: a locale that content uses stays, and whose content it is is for those who
// may read it.
func TestALocaleInUseIsNotTracedToEntriesByEveryKey(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.OK(setLocales(b, "en", "de"))
	mustDeploy(b, localizedNotes)
	e := b.Published("notes", `{"text":{"de":"x"}}`)
	for _, test := range []struct {
		scopes []credential.Scope
		want   []string
	}{
		{[]credential.Scope{credential.ProjectAdmin, credential.ContentRead}, []string{string(e.ID)}},
		{[]credential.Scope{credential.ProjectAdmin}, nil},
	} {
		locales, en := []string{"en"}, "en"
		_, err := schemadeploy.Configure(t.Context(), b.Pool, holder(test.scopes), b.ID, project.Settings{Locales: &locales, DefaultLocale: &en})
		if f := b.Refused(err, fault.Conflict); !slices.Equal(f.EntryIDs, test.want) {
			t.Errorf("with %v it names %v, want %v", test.scopes, f.EntryIDs, test.want)
		}
	}
}

// Content is shown in a finding up to a bound, and with nothing hidden.
func TestContentIsShownUpToABound(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	b.Published("notes", `{"text":"a\u202e`+strings.Repeat("x", 10_000)+`"}`)
	out := diffAs(b, access.System(), `{"name":"notes","fields":{"text":{"type":"slug"}}}`)
	if len(out.ContentErrors) == 0 {
		t.Fatal("it fits")
	}
	for _, e := range out.ContentErrors {
		if len(e.Message) > 400 || !schema.IsVisible(e.Message) {
			t.Errorf("%.500s", e.Message)
		}
	}
}
