package schemadeploy_test

import (
	"slices"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

const (
	plainNotes     = `{"name":"notes","fields":{"text":{"type":"text"}}}`
	localizedNotes = `{"name":"notes","fields":{"text":{"type":"text","localized":true}}}`
)

func setLocales(b *entrytest.Bed, codes ...string) error {
	var def string
	if len(codes) > 0 {
		def = codes[0]
	}
	codes = append([]string{}, codes...)
	_, err := schemadeploy.Configure(b.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &codes, DefaultLocale: &def})
	return err
}

// A locale goes only once no head has a value in it; those that do are named.
func TestALocaleThatContentUsesStays(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.OK(setLocales(b, "en", "de"))
	mustDeploy(b, localizedNotes)
	published := b.Published("notes", `{"text":{"en":"x","de":"y"}}`)
	open, closed := b.Set("open"), b.Set("closed")
	draft := b.Create(open, "notes", `{"text":{"de":"y"}}`)
	english := b.Create(open, "notes", `{"text":{"en":"x"}}`)
	other := b.Published("notes", `{"text":{"en":"x"}}`)
	b.Patch(closed, other.ID, `{"text":{"de":"y"}}`)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	gone := b.Published("notes", `{"text":{"de":"y"}}`)

	conflict := func(codes []string, ids ...content.EntryID) {
		t.Helper()
		f := b.Refused(setLocales(b, codes...), fault.Conflict)
		var want []string
		for _, id := range ids {
			want = append(want, string(id))
		}
		slices.Sort(want)
		if !slices.Equal(f.EntryIDs, want) {
			t.Fatalf("%v, want %v", f.EntryIDs, want)
		}
	}
	conflict([]string{"en"}, published.ID, draft.Entry.ID, gone.ID)
	set := b.Set("delete")
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), string(set.ID))
	b.OK(err)
	b.Publish(set)
	conflict([]string{"en"}, published.ID, draft.Entry.ID)
	conflict(nil, published.ID, draft.Entry.ID, english.Entry.ID, other.ID)
	b.Patch(open, draft.Entry.ID, `{"text":{"en":"z"}}`)
	edit := b.Patch(open, published.ID, `{"text":{"en":"x"}}`)
	conflict([]string{"en"}, published.ID) // what readers have counts
	b.Publish(edit.ChangeSet)
	b.OK(setLocales(b, "en"))
}

// Content of a removed collection keeps no locale, and does not fit once it comes back.
func TestARemovedCollectionComesBackUnderTheLocalesOfToday(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.OK(setLocales(b, "en", "de"))
	mustDeploy(b, localizedNotes)
	e := b.Published("notes", `{"text":{"en":"x","de":"y"}}`)
	mustDeploy(b)
	b.OK(setLocales(b, "en"))
	_, err := deploy(b, localizedNotes)
	if f := b.Refused(err, fault.ValidationFailed); entrytest.Codes(f) != string(e.ID)+" fields.text.de unknown_locale; " {
		t.Fatal(entrytest.Codes(f))
	}
	b.OK(setLocales(b, "en", "de"))
	mustDeploy(b, localizedNotes)
}

// A plain value is that of the default locale, whether its field became localized or its project did.
func TestPlainValuesAreThoseOfTheDefaultLocale(t *testing.T) {
	t.Parallel()
	bed := entrytest.New(t)
	for _, test := range []struct {
		name  string
		begin func(b *entrytest.Bed)
		then  func(b *entrytest.Bed)
	}{
		{"the field becomes localized", func(b *entrytest.Bed) { b.OK(setLocales(b, "en", "de")); mustDeploy(b, plainNotes) }, func(b *entrytest.Bed) { mustDeploy(b, localizedNotes) }},
		{"the project gets locales", func(b *entrytest.Bed) { mustDeploy(b, localizedNotes) }, func(b *entrytest.Bed) { b.OK(setLocales(b, "en", "de")) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := bed.Fresh(t)
			test.begin(b)
			e := b.Published("notes", `{"text":"x"}`)
			test.then(b)
			c, err := schemadeploy.Translations(t.Context(), b.Pool, b.ID, "notes")
			b.OK(err)
			if en, de := c.Locales[0], c.Locales[1]; en.Complete != 1 || de.Complete != 0 {
				t.Errorf("%+v", c)
			}
			if w := b.Patch(nil, e.ID, `{}`); string(w.Revision.Fields) != `{"text":{"en":"x"}}` {
				t.Errorf("%s", w.Revision.Fields)
			}
		})
	}
}
